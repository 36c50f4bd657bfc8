-- running -> scheduled | dead: attempts that ran past their time and whose worker did not stop them.
create or replace function holdfast.stop_overdue(max integer)
returns integer
language plpgsql volatile
as $$
declare
  job     holdfast.jobs;
  stopped integer := 0;
begin
  for job in
    select j.* from holdfast.jobs as j
    where j.id = any (array(
      select o.id from holdfast.jobs as o
      -- Five seconds for the worker to say so itself, with its traceback.
      where o.state = 'running' and o.stop_at < holdfast.now() - interval '5 seconds'
      -- No order: it would tempt the planner to walk the whole primary key.
      limit max
    ))
    and j.state = 'running' and j.stop_at < holdfast.now() - interval '5 seconds'
    order by j.id
    for update skip locked
  loop
    continue when not holdfast.hold_endpoint(job);
    perform holdfast.fail_job(job, jsonb_build_object(
      'class', 'transient', 'outcome', 'timed_out', 'type', 'TimedOut',
      'message', 'The attempt ran past its time and its worker did not stop it.', 'units', holdfast.recorded_units(job)
    ));
    stopped := stopped + 1;
  end loop;
  return stopped;
end
$$;
comment on function holdfast.stop_overdue(integer) is 'Fences attempts that ran past their time; returns how many.';
