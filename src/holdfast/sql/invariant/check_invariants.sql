-- Returns violations of what must hold in every database at every moment; no row if it is sound.
-- Looks at the newest jobs, runs and events, up to max of each. With settled also at jobs that should have moved that
-- long ago, which makes sense only while workers run.
-- plan: no seqscan
create or replace function holdfast.check_invariants(max integer default 10000, settled interval default null)
returns table (name text, job uuid, detail text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  -- Index look-ups keep the cost bounded when statistics are stale; a sequential scan of a large table would not.
  select holdfast.check_count('max', max);
  select v.* from holdfast.broken_ends(max) as v
  union all
  select v.* from holdfast.broken_leases(max) as v
  union all
  select v.* from holdfast.broken_letters(max) as v
  union all
  select v.* from holdfast.broken_counts(max) as v
  union all
  select v.* from holdfast.broken_attempts(max) as v
  union all
  select v.* from holdfast.broken_trail(max) as v
  union all
  select v.* from holdfast.broken_chains(max) as v
  union all
  select v.* from holdfast.broken_flow() as v
  union all
  select v.* from holdfast.broken_limits(max) as v
  union all
  select v.* from holdfast.broken_lanes(max) as v
  union all
  select v.* from holdfast.broken_rules(max) as v
  union all
  select v.* from holdfast.broken_order(max) as v
  union all
  select v.* from holdfast.broken_stages(max) as v
  union all
  select v.* from holdfast.broken_runs(max) as v
  union all
  select v.* from holdfast.broken_keys(max) as v
  union all
  select v.* from holdfast.broken_statistics(max) as v
  union all
  select v.* from holdfast.broken_schedules(max) as v
  union all
  -- Without workers jobs stand still, so this check is optional.
  select v.* from holdfast.stuck_jobs(settled, max) as v where settled is not null
$$;
