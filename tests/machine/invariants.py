"""What must hold in any database at any moment. Every row of the query is a violation."""

from holdfast.db.connect import Connection
from holdfast.db.invariants import check_invariants

VIOLATIONS = """
select 'job both live and ended, or ended twice' as rule, id::text as subject
from (select id from holdfast.jobs union all select id from holdfast.history) as every
group by id
having count(*) > 1
union all
select 'running without worker and token, or the other way round', id::text
from holdfast.jobs
where (state = 'running') <> (token is not null) or (state = 'running') <> (worker_id is not null)
union all
select 'dead without a dead letter', h.id::text
from holdfast.history as h
where h.state = 'dead'
  and not exists (
    select from holdfast.dead_letters as d
    where d.job_id = h.id and d.generation = h.generation and d.replayed_at is null
  )
union all
select 'dead letter of a job that is not dead', d.job_id::text
from holdfast.dead_letters as d
where d.replayed_at is null
  and not exists (select from holdfast.history as h where h.id = d.job_id and h.state = 'dead')
union all
select 'order key with more than one that may run', order_key
from holdfast.jobs
where order_key is not null and state <> 'waiting'
group by order_key
having count(*) > 1
union all
select 'order key whose head is not the one that may run', k.key
from holdfast.order_keys as k
left join holdfast.jobs as j on j.id = k.head
where (j.id is null or j.state = 'waiting')
  and not exists (select from holdfast.order_releases as r where r.key = k.key)
union all
select 'waits in a line that does not exist', j.id::text
from holdfast.jobs as j
where j.order_key is not null
  and not exists (select from holdfast.order_keys as k where k.key = j.order_key)
union all
select 'unique key that outlived its job', k.scope || ' ' || k.key
from holdfast.unique_keys as k
where k.until_end
  and not exists (select from holdfast.jobs as j where j.id = k.job_id)
union all
select 'run whose counts do not add up', v.id::text
from holdfast.run_view as v
where v.total <> v.completed + v.rejected + v.cancelled + v.dead
  + (select count(*) from holdfast.jobs as j where j.run_id = v.id)
union all
select 'completed twice, or an attempt recorded as failed that completed', h.id::text
from holdfast.history as h
join holdfast.attempts as a on a.job_id = h.id and a.attempt = h.attempt
where h.state = 'completed'
union all
select 'attempt number above its job''s', a.job_id::text
from holdfast.attempts as a
join (
  select id, attempt from holdfast.jobs union all select id, attempt from holdfast.history
) as every on every.id = a.job_id
where a.attempt > every.attempt
union all
select 'failures or losses that no attempt explains', every.id::text
from (
  select id, visit, failures, losses, true as is_live from holdfast.jobs
  union all
  select id, visit, failures, losses, false from holdfast.history
) as every
cross join lateral (
  select
    count(*) filter (where a.counted and a.outcome <> 'lost') as failed,
    count(*) filter (where a.outcome = 'lost' and a.counted) as lost,
    count(*) filter (where a.outcome = 'forgiven') as forgiven
  from holdfast.attempts as a
  where a.job_id = every.id and a.visit = every.visit
) as told
where failures <> failed
  -- A loss that is forgiven after the end stays in history.
  or losses not between lost and lost + case when is_live then 0 else forgiven end
union all
select 'audit trail with a gap', job_id::text || ' ' || cause || ' from ' || from_state || ' after ' || before
from (
  select e.*, lag(e.to_state) over (partition by e.job_id order by e.id) as before
  from holdfast.events as e
  -- A cancel is told twice, and a replay tells the end again: by verb, and by whoever asked for it.
  where e.job_id is not null and e.cause <> 'cancel' and not coalesce(e.detail ? 'generation', false)
) as trail
where before is distinct from from_state and before is not null
  -- Before the job came into a full queue there is the move, with the state that it had.
  and queue in (select q.name from holdfast.queues as q where q.detail = 'full')
"""


async def violations(conn: Connection) -> list[tuple[str, str]]:
    """Those of the product, which production can ask for, and those that only hold in a test."""
    found = [(row[0], row[1]) for row in await conn.fetch(VIOLATIONS)]
    return found + [(one.name, one.detail) for one in await check_invariants(conn)]
