-- running -> ready | scheduled | dead: jobs of workers whose lease has ended.
-- Requests a worker for each run that lost one. Jobs of queues whose flag rescue is off stay where they are.
create or replace function holdfast.rescue_lost(max integer, out recovered integer, out dead integer, out runs integer)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  gone   uuid[];
  worker uuid;
  job    holdfast.jobs;
  saved  boolean;
  hit    uuid[] := '{}';
begin
  recovered := 0;
  dead := 0;
  gone := array(
    select held.worker_id
    from (select distinct j.worker_id from holdfast.jobs as j where j.state = 'running') as held
    left join holdfast.workers as w on w.id = held.worker_id
    where (w.id is null or w.state = 'stopped' or w.lease_until < holdfast.now())
      -- A worker none of whose jobs may be taken is not fenced: if it comes back, its tokens are valid.
      and exists (
        select from holdfast.jobs as j
        where j.worker_id = held.worker_id and j.state = 'running' and holdfast.may_rescue(j.queue))
  );
  -- Before the first row lock: all callers create lanes in one order, so that two cannot deadlock.
  perform holdfast.name_suspect_lanes(array(
    select distinct j.lane
    from holdfast.jobs as j
    where j.state = 'running' and j.worker_id = any (gone)));
  foreach worker in array gone loop
    continue when not holdfast.fence_worker(worker);
    for job in
      select j.* from holdfast.jobs as j
      where j.worker_id = worker and j.state = 'running' and holdfast.may_rescue(j.queue)
      -- No order by: the planner might walk the whole primary key for it, and locked rows are skipped anyway.
      limit max
      for update skip locked
    loop
      continue when not holdfast.hold_endpoint(job);
      saved := holdfast.settle_lost_job(job);
      recovered := recovered + saved::integer;
      dead := dead + (not saved)::integer;
      if job.run_id is not null and job.run_id <> all (hit) then
        hit := hit || job.run_id;
        perform holdfast.request_recovery(job.run_id, worker);
      end if;
    end loop;
  end loop;
  runs := cardinality(hit);
end
$$;
