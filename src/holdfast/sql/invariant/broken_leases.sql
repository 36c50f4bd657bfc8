-- Violations of: running means a worker and a token; attempt numbers rise and tokens differ; leases of a job never
-- overlap; no worker loses a job while its lease is valid; no retry before its time.
create or replace function holdfast.broken_leases(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with held as materialized (
    select h.*,
      lag(h.ended) over line as before, lag(h.attempt) over line as last, lag(h.retry_at) over line as due,
      lag(h.visit) over line as last_visit
    from holdfast.held_times(max) as h
    window line as (partition by h.job order by h.attempt)
  )
  select 'running_without_lease', n.id,
    format('%s with worker %s and token %s', n.state, coalesce(n.worker_id::text, 'none'),
      coalesce(n.token::text, 'none'))
  from holdfast.newest_jobs(max) as n
  where n.is_live
    and not ((n.state = 'running') = (n.token is not null) and (n.state = 'running') = (n.worker_id is not null))
  union all
  select 'attempt_number_fell', n.id, format('attempt %s, and attempt %s is recorded', n.attempt, a.attempt)
  from holdfast.newest_jobs(max) as n
  cross join lateral (
    select t.attempt
    from holdfast.attempts as t
    where t.job_id = n.id and t.attempt > n.attempt offset 0) as a
  union all
  select 'token_twice', h.job, format('token %s for %s attempts', h.token, count(*))
  from held as h
  where h.token is not null
  group by h.job, h.token
  having count(*) > 1
  union all
  select 'leases_overlap', h.job,
    format('attempt %s began at %s, attempt %s ended at %s', h.attempt, h.began, h.last, h.before)
  from held as h
  where h.began < h.before
  union all
  select 'lost_while_leased', n.id,
    format('attempt %s was lost at %s, its lease was valid until %s', a.attempt, a.ended_at, a.lease_until)
  from holdfast.newest_jobs(max) as n
  cross join lateral (select t.* from holdfast.attempts as t where t.job_id = n.id offset 0) as a
  where a.outcome in ('lost', 'forgiven')
    and a.ended_at < a.lease_until
  union all
  select 'retried_early', h.job, format('attempt %s began at %s, it was due at %s', h.attempt, h.began, h.due)
  from held as h
  where h.attempt = h.last + 1
    and h.visit = h.last_visit
    and h.began < h.due
$$;
