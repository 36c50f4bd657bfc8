-- Violations of: failures and losses stay within their limits, and each has an attempt that explains it.
-- After a limit was lowered, jobs within the old one are reported, too.
create or replace function holdfast.broken_counts(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with counted as materialized (
    select n.*,
      coalesce(n.max_failures, holdfast.retry_tries(n.retry), t.max_failures, holdfast.retry_tries(t.retry),
        q.max_failures, holdfast.retry_tries(q.retry), 3) as most_failures,
      coalesce(q.max_losses, 3) as most_losses
    from holdfast.newest_jobs(max) as n
    left join holdfast.tasks as t on t.name = n.task
    left join holdfast.queues as q on q.name = n.queue
  )
  select 'too_many_failures', c.id, format('%s failures of %s, and %s', c.failures, c.most_failures, c.state)
  from counted as c
  where c.failures > c.most_failures - c.is_live::integer
  union all
  select 'too_many_losses', c.id, format('%s losses of %s, and %s', c.losses, c.most_losses, c.state)
  from counted as c
  where c.losses > c.most_losses - c.is_live::integer
  union all
  select 'unexplained_count', c.id,
    format('%s failures and %s losses; attempts tell of %s and %s', c.failures, c.losses, recorded.failed,
      recorded.lost)
  from counted as c
  cross join lateral (
    select
      count(*) filter (where a.counted and a.outcome <> 'lost') as failed,
      count(*) filter (where a.outcome = 'lost' and a.counted) as lost,
      count(*) filter (where a.outcome = 'forgiven') as forgiven
    from holdfast.attempts as a
    where a.job_id = c.id
      and a.visit = c.visit
  ) as recorded
  -- A job that ended while it waited died because of its children.
  where (c.is_live or c.token is not null)
    and (
      c.failures <> recorded.failed
      -- A loss that is forgiven after the end stays in history.
      or c.losses not between recorded.lost and recorded.lost + case when c.is_live then 0 else recorded.forgiven end
    )
$$;
