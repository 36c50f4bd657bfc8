"""A database with very many jobs whose statistics say that it is empty; filled directly: that is quick."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, ready_job
from tests.plan.cost import Cost, cost_of

# Autovacuum would analyse a table during a slow test; new plans read the catalogue, which is counted, too.
FIXED_STATISTICS = """
alter table holdfast.jobs set (autovacuum_enabled = false);
alter table holdfast.lanes set (autovacuum_enabled = false);
alter table holdfast.queues set (autovacuum_enabled = false);
alter table holdfast.events set (autovacuum_enabled = false);
alter table holdfast.runs set (autovacuum_enabled = false);
alter table holdfast.stage_outputs set (autovacuum_enabled = false);
alter table holdfast.unique_keys set (autovacuum_enabled = false);
alter table holdfast.workers set (autovacuum_enabled = false);
analyze;
"""

# Ids that carry the present and rise by one: drawing strong random ones takes longer than the insert. One in
# ten belongs to a run.
READY = """
insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, queue, task, payload, run_id)
select
  format('%s000-8%s-%s', t.prefix, lpad(to_hex(l.lane), 3, '0'), lpad(to_hex(i), 12, '0'))::uuid,
  l.lane, $3, $3, 'ready', clock_timestamp(), l.queue, 'task', '{"n": 1}',
  case when i % 10 = 0 then '00000000-0000-7000-8000-000000000001'::uuid end
from generate_series(1, $2) as i
join unnest($1::integer[]) with ordinality as wanted (lane, place) on wanted.place = 1 + i % cardinality($1)
join holdfast.lanes as l on l.lane = wanted.lane
cross join holdfast.id_prefix(clock_timestamp()) as t (prefix)
"""

ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority,
  attempt, failures, losses, deferrals, generation, visit, payload
)
select
  format('%s000-8fff-%s', t.prefix, lpad(to_hex(i), 12, '0'))::uuid,
  'completed', clock_timestamp(), 'one', 'task', 1, 50,
  1, 0, 0, 0, 1, 1, '{}'
from generate_series(1, $1) as i
cross join holdfast.id_prefix(clock_timestamp()) as t (prefix)
"""

# Of other jobs: what stages gave, what an audit trail keeps, and runs of children that still live.
STAGES = """
insert into holdfast.stage_outputs (job_id, generation, visit, stage, attempt, started_at, ended_at)
select gen_random_uuid(), 1, 1, 'next', 1, clock_timestamp(), clock_timestamp()
from generate_series(1, $1)
"""
EVENTS = """
insert into holdfast.events (at, cause, job_id, queue, to_state, attempt)
select clock_timestamp(), 'end', gen_random_uuid(), 'one', 'completed', 1
from generate_series(1, $1)
"""
# Each waits behind another job of its order key, since an hour ago.
WAITING = """
insert into holdfast.jobs (
  id, lane, priority, urgency, state, waits_for, order_key, order_seq, queue, task, payload
)
select
  format('%s000-8ffe-%s', t.prefix, lpad(to_hex(i), 12, '0'))::uuid,
  1, 50, 50, 'waiting', 'order', 'key ' || i, 2, 'one', 'task', '{"n": 1}'
from generate_series(1, $1) as i
cross join holdfast.id_prefix(clock_timestamp() - interval '1 hour') as t (prefix)
"""
RUNS = """
insert into holdfast.runs (id, name, created_at, parent_id)
select gen_random_uuid(), 'children', clock_timestamp(), gen_random_uuid()
from generate_series(1, $1)
"""

HELD = "select id, token from holdfast.jobs where worker_id = $1 and state = 'running'"
TURN = "settle_and_claim($1, $2, $3, $4, $5, $6, $7)"


@dataclass(slots=True)
class Drain:
    """A worker whose plans were made while there were no jobs."""

    conn: Connection
    worker: UUID

    async def warm_up(self) -> None:
        """Often enough for every plan to be kept, with jobs that come and go."""
        for _ in range(8):
            await ready_job(self.conn, queue="one")
            await self.turn(5)
        await self.turn(0)

    async def turn(self, n: int) -> Cost:
        """Completes all that it holds, and claims n."""
        return await self.end("complete", None, n)

    async def end(self, verb: str, detail: str | None, n: int = 0) -> Cost:
        held = await self.held()
        count = len(held)
        return await cost_of(
            self.conn,
            TURN,
            *(self.worker, n, [row["id"] for row in held], [row["token"] for row in held]),
            *([verb] * count, ["{}"] * count, [detail] * count),
        )

    async def held(self) -> list[Record]:
        return await self.conn.fetch(HELD, self.worker)


async def make_empty(conn: Connection, queues: list[str]) -> Drain:
    """Weeks, queues and a worker; all analysed, and the plans made, while nothing is in."""
    await conn.execute("select holdfast.make_partitions()")
    for queue in queues:
        await conn.execute("select holdfast.declare_queue($1)", queue)
    await conn.execute(FIXED_STATISTICS)
    drain = Drain(conn, await a_worker(conn, queues=queues, lease=timedelta(hours=1)))
    await drain.warm_up()
    await conn.execute("analyze")
    await drain.warm_up()
    return drain


async def fill(
    conn: Connection, queues: list[str], count: int, endpoint: str = "", group: str = "", priority: int = 50
) -> None:
    named = "select holdfast.find_lane($1, $2, $3)"
    lanes = [await conn.fetchval(named, queue, endpoint, group) for queue in queues]
    await conn.execute(READY, lanes, count, priority)


async def shut_first(conn: Connection, queue: str, endpoint: str, count: int) -> None:
    """A lane that a claim visits first, for its weight; an operator holds its endpoint open."""
    await conn.execute("select holdfast.declare_queue($1, '{\"weight\": 1000000}')", queue)
    await conn.execute("select holdfast.declare_endpoint($1)", endpoint)
    await fill(conn, [queue], count, endpoint=endpoint, priority=100)
    await conn.execute("select holdfast.open_endpoint($1)", endpoint)


async def fill_history(conn: Connection, count: int) -> None:
    for statement in (ENDED, STAGES, EVENTS, WAITING, RUNS):
        await conn.execute(statement, count)
