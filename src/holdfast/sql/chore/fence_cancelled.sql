-- running -> cancelled: jobs that were asked to cancel and did not obey within their queue's grace.
create or replace function holdfast.fence_cancelled(max integer)
returns integer
language plpgsql volatile
as $$
declare
  job    holdfast.jobs;
  fenced integer := 0;
begin
  for job in
    select j.* from holdfast.jobs as j
    where j.state = 'running'
      and j.cancel_asked_at < holdfast.now() - coalesce(
        (select q.cancel_grace from holdfast.queues as q where q.name = j.queue), interval '30 seconds')
    -- No order: it would tempt the planner to walk the whole primary key, and nothing waits for these locks.
    limit max
    for update skip locked
  loop
    continue when not holdfast.hold_endpoint(job);
    perform holdfast.end_jobs(array[job.id], null, 'cancelled', null, array['did not obey the cancel in time and was fenced'], array[holdfast.recorded_units(job)]);
    fenced := fenced + 1;
  end loop;
  return fenced;
end
$$;
comment on function holdfast.fence_cancelled(integer) is 'Ends running jobs that did not obey a cancel in time; returns how many.';
