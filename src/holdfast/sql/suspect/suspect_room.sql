-- How many suspects of a lane a worker may claim now: 1 if it holds no job.
-- Null if it must finish its jobs first and claim nothing else until then.
create or replace function holdfast.suspect_room(of_worker uuid, of_lane integer)
returns integer
language plpgsql volatile
as $$
begin
  if not exists (
    select from holdfast.jobs as j
    where j.lane = of_lane and j.state = 'ready' and (j.deadline is null or j.deadline > holdfast.now())
  ) then
    return 0;
  end if;
  -- One claim of a worker at a time: a concurrent one would not see this one's jobs. Skips a locked row against
  -- deadlocks: a renewal that holds it may wait for jobs that this call settles.
  perform from holdfast.workers as w where w.id = of_worker for update skip locked;
  if not found then
    return null;
  elsif not exists (select from holdfast.jobs as j where j.worker_id = of_worker and j.state = 'running') then
    return 1;
  -- A suspect that cannot start now must not keep the worker from other jobs.
  elsif exists (select from holdfast.lane_blockers(of_lane, null) as b where b.blocks) then
    return 0;
  end if;
  return null;
end
$$;
