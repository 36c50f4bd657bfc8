-- running -> scheduled | dead: attempts past their timeout that their worker did not stop.
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
      -- Five seconds for the worker to report it itself, with a traceback.
      where o.state = 'running' and o.stop_at < holdfast.now() - interval '5 seconds'
        -- With the flag rescue off, jobs of a lost worker stay where they are.
        and (holdfast.may_rescue(o.queue) or holdfast.has_lease(o.worker_id))
      -- No order by: the planner might walk the whole primary key for it.
      limit max
    ))
    and j.state = 'running' and j.stop_at < holdfast.now() - interval '5 seconds'
    order by j.id
    for update skip locked
  loop
    continue when not holdfast.hold_endpoint(job);
    perform holdfast.settle_failures(array[job.id], array[jsonb_build_object(
      'class', 'transient', 'outcome', 'timed_out', 'type', 'TimedOut',
      'message', 'The attempt ran past its time and its worker did not stop it.', 'units', holdfast.recorded_units(job)
    )]);
    stopped := stopped + 1;
  end loop;
  return stopped;
end
$$;
