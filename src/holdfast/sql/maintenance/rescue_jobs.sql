-- running -> ready | scheduled | dead | cancelled: takes jobs back from workers whose lease has ended.
-- Not while the flag rescue is off, for all or for the queue of the job.
-- Also ends attempts past their timeout, jobs that ignored a cancel request, and jobs whose deadline has passed.
-- Takes no lock of its own: concurrent calls skip each other's workers and jobs. Returns counts; runs is the number of
-- runs that lost a worker.
-- plan: no seqscan
create or replace function holdfast.rescue_jobs(max integer default 1000)
returns table (recovered integer, dead integer, timed_out integer, cancelled integer, expired integer, runs integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  select r.recovered, r.dead, r.runs into recovered, dead, runs from holdfast.rescue_lost(max) as r;
  timed_out := holdfast.stop_overdue(max);
  cancelled := holdfast.fence_cancelled(max);
  -- More of these per call: every claim walks past expired jobs at the head of its lane.
  expired := holdfast.expire_jobs(5 * max);
  return next;
end
$$;
