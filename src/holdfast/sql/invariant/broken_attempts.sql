-- Violations of: a job starts again only after its last attempt was counted as a failure, a loss or a deferral.
create or replace function holdfast.broken_attempts(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with counted as materialized (
    select n.*, (n.state = 'running')::integer as running, n.failures + n.losses + n.deferrals as ends,
      -- The number of the last attempt before this stage visit.
      case
        when n.visit = 1 then 0
        else coalesce(
          (
            select o.attempt from holdfast.stage_outputs as o
            where o.job_id = n.id and o.generation = n.generation and o.visit < n.visit
            order by o.visit desc limit 1
          ),
          (select e.attempt
           from holdfast.events as e
           where e.job_id = n.id and e.cause = 'replay'
           order by e.id desc
           limit 1)
        )
      end as before,
      -- Waits are not counted: after one there may be any number of attempts more.
      exists (
        select from holdfast.waits as w
        where w.job_id = n.id and w.generation = n.generation and w.visit = n.visit and w.name <> 'stages'
        offset 0
      ) as has_waited,
      -- And the outputs of branches have numbers of other jobs' attempts.
      exists (
        select from holdfast.waits as w
        where w.job_id = n.id and w.generation = n.generation and w.name = 'stages'
        offset 0
      ) as has_branched
    from holdfast.newest_jobs(max) as n
  )
  select 'unexplained_attempt', c.id,
    format('%s at attempt %s, after attempt %s; counted are %s failures, %s losses and %s deferrals',
      c.state, c.attempt, c.before, c.failures, c.losses, c.deferrals)
  from counted as c
  where not c.has_branched
    and (
      c.attempt - c.before > c.ends + case when c.is_live then c.running else 1 end and not c.has_waited
      -- An attempt that completed its job is counted by nothing else.
      or c.attempt - c.before < c.ends + case when c.is_live then c.running else (c.state = 'completed')::integer end
    )
$$;
