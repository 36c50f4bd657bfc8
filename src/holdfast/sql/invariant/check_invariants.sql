-- What must hold in every database at every moment: each row is a violation. It looks at the newest jobs, runs and events, up to max of each.
create or replace function holdfast.check_invariants(max integer default 10000, settled interval default null)
returns table (name text, job uuid, detail text)
language sql stable security definer
set search_path = holdfast, pg_temp
set jit = off
-- A look-up by key is bounded whatever the statistics say; a scan of a large table is not.
set enable_seqscan = off
as $$
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
  select v.* from holdfast.broken_order(max) as v
  union all
  select v.* from holdfast.broken_stages(max) as v
  union all
  select v.* from holdfast.broken_runs(max) as v
  union all
  select v.* from holdfast.broken_keys(max) as v
  union all
  -- Where no worker runs, jobs may well stand still: only who has waited long enough asks for this.
  select v.* from holdfast.stuck_jobs(settled, max) as v where settled is not null
$$;
comment on function holdfast.check_invariants(integer, interval)
  is 'Each row is a violation of what must always hold, among the newest jobs, up to max. With settled also jobs that should have moved that long ago.';
