-- running -> cancelled: jobs that did not stop within their queue's cancel_grace after a request.
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
    -- No order by: the planner might walk the whole primary key for it, and locked rows are skipped anyway.
    limit max
    for update skip locked
  loop
    continue when not holdfast.hold_endpoint(job);
    perform holdfast.end_jobs(array[job.id], null, 'cancelled', null,
      array['did not stop in time after a cancel request and was fenced'], array[holdfast.recorded_units(job)]);
    fenced := fenced + 1;
  end loop;
  return fenced;
end
$$;
