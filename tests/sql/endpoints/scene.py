"""An endpoint, calls of it, and what can be seen of both."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, ready_jobs, to_json

MODEL = "model"
TURN = "select * from holdfast.settle_and_claim($1, $2, '{}', '{}', '{}', '{}', '{}')"
UNBALANCED = """
select e.name, e.in_flight, held.permits, e.reserved, held.expected
from holdfast.endpoints as e
cross join lateral (
  select count(*) as permits, coalesce(sum(coalesce(j.reserved_units, j.estimate)), 0) as expected
  from holdfast.jobs as j
  join holdfast.lanes as l on l.lane = coalesce(j.permit_lane, j.lane)
  where l.endpoint = e.name and j.state = 'running' and j.in_flight_at_start is not null
) as held
where e.in_flight <> held.permits or abs(e.reserved - held.expected) > 1e-6
"""
WITHOUT_PERMIT = """
select j.id, j.state, j.in_flight_at_start
from holdfast.jobs as j
join holdfast.lanes as l on l.lane = j.lane
where (l.endpoint <> '' and j.state = 'running') <> (j.in_flight_at_start is not null)
"""


async def an_endpoint(conn: Connection, name: str = MODEL, **settings: Any) -> None:
    await conn.execute("select holdfast.declare_endpoint($1, $2)", name, to_json(settings))


async def a_fixed_endpoint(conn: Connection, limit: int = 100, **settings: Any) -> None:
    await an_endpoint(conn, mode="fixed", max=limit, **settings)


async def the_endpoint(conn: Connection, name: str = MODEL) -> Record:
    (row,) = await conn.fetch("select * from holdfast.endpoints where name = $1", name)
    return row


async def a_caller(conn: Connection, *queues: str) -> UUID:
    """A worker that a moved clock does not make lose its lease."""
    return await a_worker(conn, list(queues) or None, lease=timedelta(days=1))


async def calls(conn: Connection, count: int, **options: Any) -> list[UUID]:
    """Ready jobs that call the endpoint."""
    return await ready_jobs(conn, count, **{"endpoint": MODEL, "retry": [0] * 20, **options})


async def claimed(conn: Connection, worker: UUID, n: int = 100) -> list[Running]:
    return [
        Running(row["job_id"], row["token"], worker, row["attempt"])
        for row in await conn.fetch(TURN, worker, n)
        if row["kind"] == "job"
    ]


async def told_to_wait(conn: Connection, worker: UUID, n: int = 100) -> float | None:
    """For how many seconds a claim that finds nothing tells the worker to sleep."""
    (row,) = await conn.fetch(TURN, worker, n)
    assert row["kind"] == "next"
    return None if row["due_in"] is None else row["due_in"].total_seconds()


async def open_circuit(conn: Connection, seconds: float = 10) -> None:
    """As after a trip: it stays open for so long."""
    await conn.execute(
        "update holdfast.endpoints set circuit = 'open', streak = 5,"
        " open_until = extract(epoch from holdfast.now()) + $1",
        seconds,
    )


async def blockers(conn: Connection, job: UUID) -> list[str]:
    """What explain says, without what is only good to know."""
    rows = await conn.fetch("select blocker from holdfast.explain($1) where blocks", job)
    return [row["blocker"] for row in rows]


async def assert_balanced(conn: Connection) -> None:
    """Permits given out are the running jobs that hold one, and so are the units reserved."""
    assert await conn.fetch(UNBALANCED) == []
    assert await conn.fetch(WITHOUT_PERMIT) == []
