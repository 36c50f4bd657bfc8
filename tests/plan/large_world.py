"""An installation with something on every page, and very much of it: a busy day, and a crowd beside it."""

from dataclasses import dataclass
from datetime import timedelta

import asyncpg

from holdfast.db.connect import Connection
from holdfast.testing.clock import FakeClock
from tests.dashboard.busy import fill
from tests.plan.large_history import PARTITIONS, SUMMARISE


@dataclass(frozen=True, slots=True)
class Size:
    """`ended` jobs lie in the last `span`. `letters`: dead letters, and as many failed attempts; `hours`: of
    figures by the minute.
    """

    ended: int
    span: timedelta = timedelta(days=29)
    ready: int = 100_000
    queues: int = 200
    workers: int = 500
    fingerprints: int = 5_000
    letters: int = 120_000
    endpoints: int = 20
    hours: int = 48


# Every queue has a lane; queues have names of a usual length.
QUEUES = """
select
  holdfast.declare_queue(format('customer-%s-intake', lpad(i::text, 4, '0'))),
  holdfast.find_lane(format('customer-%s-intake', lpad(i::text, 4, '0')), null, null)
from generate_series(1, $1::integer) as i
"""
ENDPOINTS = """
select holdfast.declare_endpoint(format('model-server-%s', lpad(i::text, 4, '0')), '{"max": 8}')
from generate_series(1, $1::integer) as i
"""
CALLS = """
insert into holdfast.endpoint_seconds (
  endpoint, second, started, ok, failed, took, "limit", in_flight, circuit
)
select e.name, s, 3, 2, 1, 4.5, 8, 3, 'closed'
from holdfast.endpoints as e
cross join lateral generate_series(
  floor(extract(epoch from now()))::bigint - 3600 * least(6, $1::integer),
  floor(extract(epoch from now()))::bigint
) as s
where e.name like 'model-server-%'
"""
LANES = """
create temp table if not exists crowd_lanes as
select row_number() over (order by lane) - 1 as place, lane, queue
from holdfast.lanes
where queue like 'customer-%'
"""
WORKERS = """
insert into holdfast.workers (
  id, queues, tasks, lease, lease_until, renewed_at, slots, running, processed, host, pid, version,
  started_at, state, stopped_at, "group"
)
select
  gen_random_uuid(),
  array(select queue from crowd_lanes where place in (
    (i * 7) % $2::integer, (i * 7 + 1) % $2::integer, (i * 7 + 2) % $2::integer)),
  array['import', 'classify'], '1 day', now() + interval '1 day', now(), 10, 4, 1000, 'host-' || i % 50,
  1000 + i, '2026.3.' || i % 3, now() - i * interval '1 minute',
  case when i <= $1::integer then 'working' else 'stopped' end,
  case when i > $1::integer then now() - interval '10 minutes' end, 'group-' || i % 5
from generate_series(1, 2 * $1::integer) as i
"""
ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
  ready_at, started_at, labels, payload, output
)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-8' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  case when i % $4::bigint = 0 then 'dead' else 'completed' end, at + interval '5 seconds', l.queue,
  'task-' || i % 20, l.lane, 50, 1, (i % $4::bigint = 0)::integer, 0, 0, 1, 1,
  at + interval '1 second', at + interval '2 seconds', '{"of": "many"}', '{"n": 1}', '"done"'
from (
  select i, now() - interval '10 seconds' - ($1::bigint - i) * ($5::interval / $1::bigint) as at
  from generate_series($2::bigint, $3::bigint) as i
) as moment
join crowd_lanes as l on l.place = i % (select count(*) from crowd_lanes)
"""
LIVE = """
insert into holdfast.jobs (
  id, lane, priority, urgency, state, rank_at, due_at, queue, task, payload, failures, waits_for,
  order_key, order_seq
)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-9' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  l.lane, 50, 50, state, case when state = 'ready' then at end,
  case when state = 'scheduled' then now() + interval '1 day' end, l.queue, 'task-' || i % 20, '{}',
  (state = 'scheduled')::integer, case when state = 'waiting' then 'order' end,
  case when state = 'waiting' then 'account ' || i end, case when state = 'waiting' then i end
from (
  select
    i, now() - ($1::integer - i) * (interval '1 hour' / $1::integer) as at,
    case when i % 20 = 0 then 'waiting' when i % 10 = 0 then 'scheduled' else 'ready' end as state
  from generate_series(1, $1::integer * 10 / 9) as i
) as moment
-- Half of them stand in one queue.
join crowd_lanes as l on l.place = case when i % 2 = 1 then 0 else i % $2::integer end
"""
RUNNING = """
insert into holdfast.jobs (
  id, lane, priority, urgency, state, rank_at, queue, task, payload, worker_id, token, started_at, attempt
)
select
  (holdfast.id_prefix(w.started_at) || substr(md5(w.id::text || i), 1, 3) || '-a'
    || substr(md5(w.id::text || i), 4, 3) || '-' || substr(md5(w.id::text || i), 7, 12))::uuid,
  l.lane, 50, 50, 'running', w.started_at, l.queue, 'task-' || i, '{}', w.id, gen_random_uuid(),
  now() - i * interval '10 seconds', 1
from holdfast.workers as w
join crowd_lanes as l on l.queue = w.queues[1]
cross join generate_series(1, 4) as i
where w.state = 'working' and w.version like '2026.3.%' and w."group" like 'group-%'
"""
# Of the jobs that died last, and more of jobs that are gone.
LETTERS = """
insert into holdfast.dead_letters (
  job_id, generation, queue, task, reason, class, error_type, message, fingerprint, died_at
)
select
  coalesce(h.id, gen_random_uuid()), 1, coalesce(h.queue, l.queue), 'task-' || i % 20, 'permanent',
  'permanent', 'ValueError', repeat('it broke ', 10), 'f' || i % $2::integer,
  coalesce(h.ended_at, now() - i * interval '1 second')
from generate_series(1, $1::integer) as i
left join (
  select id, queue, ended_at, row_number() over (order by id desc) as place
  from (select * from holdfast.history where state = 'dead' and queue like 'customer-%' order by id desc
    limit $1::integer) as d
) as h on h.place = i
join crowd_lanes as l on l.place = i % $3::integer
"""
ATTEMPTS = """
insert into holdfast.attempts (
  job_id, attempt, generation, visit, outcome, class, counted, queue, task, ended_at, error_type, message,
  fingerprint, version
)
select
  coalesce(d.job_id, gen_random_uuid()), 1, 1, 1, 'failed', 'transient', true, l.queue, 'task-' || i % 20,
  now() - i * (interval '90 minutes' / $1::integer), 'ValueError', 'it broke', 'f' || i % $2::integer,
  '2026.3.' || i % 3
from generate_series(1, $1::integer) as i
left join (
  select job_id, row_number() over () as place from holdfast.dead_letters limit $1::integer
) as d on d.place = i
join crowd_lanes as l on l.place = i % $3::integer
on conflict do nothing
"""
COUNTS = """
insert into holdfast.end_counts (
  minute, what, queue, task, state, name, jobs, wait_seconds, run_seconds, wait_tens, run_tens
)
select
  m, k.what, l.queue, 'task-' || (l.place + extract(minute from m)::integer % 2) % 20, k.state, k.name, 3,
  4, 9, k.tens, k.tens
from generate_series(date_trunc('minute', now()) - $1::integer * interval '1 hour', now(), '1 minute') as m
cross join crowd_lanes as l
cross join (
  values
    ('end', 'completed', '', '{"31": 2, "33": 1}'::jsonb), ('enqueue', '', '', '{}'),
    ('attempt', 'failed', 'transient', '{}')
) as k (what, state, name, tens)
where k.what <> 'attempt' or (l.place + extract(minute from m)) % 10 = 0
"""
TOTALS = """
insert into holdfast.end_totals
select what, queue, task, pipeline, stage, state, name, sum(jobs), 0, 0, 0, 0, 0, sum(wait_seconds),
  sum(run_seconds), '{}', '{}'
from holdfast.end_counts
where queue like 'customer-%'
group by what, queue, task, pipeline, stage, state, name
"""
SAMPLES = """
insert into holdfast.depth_samples
select l.queue, m, m, m, 10, 10, 500, 10, m - interval '5 minutes'
from generate_series(date_trunc('minute', now()) - $1::integer * interval '1 hour', now(), '1 minute') as m
cross join crowd_lanes as l
on conflict do nothing
"""
EVENTS = """
insert into holdfast.events (at, cause, job_id, queue, from_state, to_state, attempt, detail)
select now() - i * interval '1 second', 'complete', gen_random_uuid(), 'customer-0001-intake', 'running',
  'completed', 1, '{}'
from generate_series($1::integer, 1, -1) as i
"""
CHUNK = 500_000


async def make_world(url: str, size: Size) -> None:
    await fill(url, hours=0.25, rate=6)
    conn = await asyncpg.connect(url, command_timeout=None)
    try:
        await FakeClock(conn).uninstall()
        await conn.execute("set synchronous_commit = off")
        await add_crowd(conn, size)
        # Autovacuum and maintenance do these within the minute.
        await conn.execute("vacuum (analyze)")
        await conn.execute("select holdfast.sample_depths('1 minute')")
    finally:
        await conn.close()


async def add_ended(conn: Connection, count: int, span: timedelta, dead_every: int = 100) -> None:
    """With `dead_every` 0 none is dead."""
    await conn.execute(LANES)
    for first in range(1, count + 1, CHUNK):
        last = min(first + CHUNK - 1, count)
        await conn.execute(ENDED, count, first, last, dead_every or count + 1, span)
    await conn.execute(SUMMARISE)


async def add_crowd(conn: Connection, size: Size) -> None:
    await conn.execute(PARTITIONS)
    await conn.fetch(QUEUES, size.queues)
    await conn.execute(LANES)
    await conn.fetch(ENDPOINTS, size.endpoints)
    await conn.execute(CALLS, size.hours)
    await conn.execute(WORKERS, size.workers, size.queues)
    await add_ended(conn, size.ended, size.span)
    await conn.execute(LIVE, size.ready, size.queues)
    await conn.execute(RUNNING)
    await conn.execute(LETTERS, size.letters, size.fingerprints, size.queues)
    await conn.execute(ATTEMPTS, size.letters, size.fingerprints, size.queues)
    await conn.execute(COUNTS, size.hours)
    await conn.execute(TOTALS)
    await conn.execute(SAMPLES, size.hours)
    await conn.execute(EVENTS, size.letters)
