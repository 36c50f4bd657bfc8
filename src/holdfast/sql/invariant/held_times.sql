-- When each attempt of the newest jobs held its lease, as far as recorded; the last one may still hold it.
create or replace function holdfast.held_times(max integer)
returns table (job uuid, attempt integer, generation integer, visit integer, token uuid, began timestamptz,
  ended timestamptz, retry_at timestamptz)
language sql stable
as $$
  with newest as materialized (
    select n.* from holdfast.newest_jobs(max) as n
  ), recorded as materialized (
    -- A lost attempt held its lease until it ended, whenever it was rescued.
    select a.job_id, a.attempt, a.generation, a.visit, a.token, a.started_at, greatest(a.ended_at, a.lease_until),
      a.retry_at
    from newest as n
    cross join lateral (select t.* from holdfast.attempts as t where t.job_id = n.id offset 0) as a
    where a.started_at is not null
    union all
    select o.job_id, o.attempt, o.generation, o.visit, null, o.started_at, o.ended_at, null
    from newest as n
    cross join lateral (select t.* from holdfast.stage_outputs as t where t.job_id = n.id offset 0) as o
    -- The output of a branch is kept under its parent: its attempt is another job's.
    where o.started_at is not null
      and not exists (select from holdfast.waits as w where w.job_id = o.job_id and w.name = 'stages' offset 0)
  )
  select r.* from recorded as r
  union all
  select n.id, n.attempt, n.generation, n.visit, n.token, n.started_at, coalesce(n.ended_at, 'infinity'), null
  from newest as n
  where n.started_at is not null
    and not exists (select from recorded as r where r.job_id = n.id and r.attempt = n.attempt)
$$;
