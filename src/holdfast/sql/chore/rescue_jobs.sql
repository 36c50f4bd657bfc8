-- running -> ready | scheduled | dead | cancelled: takes back what nobody looks after any more.
-- Under no lock of its own, so that nobody can hold it up: rounds at once pass over the jobs and workers of each other.
create or replace function holdfast.rescue_jobs(max integer default 1000)
returns table (recovered integer, dead integer, timed_out integer, cancelled integer, expired integer, runs integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
begin
  perform holdfast.check_count('max', max);
  select r.recovered, r.dead, r.runs into recovered, dead, runs from holdfast.rescue_lost(max) as r;
  timed_out := holdfast.stop_overdue(max);
  cancelled := holdfast.fence_cancelled(max);
  -- More of these at a time: every claim walks past expired jobs at the head of its lane.
  expired := holdfast.expire_jobs(5 * max);
  return next;
end
$$;
comment on function holdfast.rescue_jobs(integer)
  is 'Takes back jobs of vanished workers, and ends what is overdue, cancelled or past its deadline; returns counts, and how many runs lost a worker.';
