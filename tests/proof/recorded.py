"""Violations that only what was recorded can tell of: the jobs themselves have ended, or gone on."""

from collections.abc import Awaitable, Callable
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, claim_one, complete, ready_job, running_job, waiting_job

Plant = Callable[[Connection], Awaitable[Any]]


async def a_whole_trail(conn: Connection, queue: str = "default") -> str:
    """A queue whose audit trail has been full for years."""
    await a_queue(conn, queue, detail="full")
    await conn.execute("update holdfast.queues set full_since = '2020-01-01Z' where name = $1", queue)
    return queue


async def lost_while_leased(conn: Connection) -> None:
    """A rescue that does not ask for the lease."""
    job = await running_job(conn)
    await conn.execute("select holdfast.settle_lost_job(j) from holdfast.jobs as j where id = $1", job.id)


async def lost_while_leased_and_run_by_another(conn: Connection) -> None:
    await lost_while_leased(conn)
    await claim_one(conn, await a_worker(conn))


async def unexplained_attempt(conn: Connection) -> None:
    """A job is given back, and nothing tells of it."""
    job = await running_job(conn)
    await conn.execute(
        "update holdfast.jobs set state = 'ready', worker_id = null, token = null, started_at = null"
        " where id = $1",
        job.id,
    )
    assert (await claim_one(conn, job.worker)).attempt == 2


async def ran_out_of_order(conn: Connection) -> None:
    """The second of a line is taken first; they do not overlap."""
    second = await waiting_job(conn, order_key="line")
    await conn.execute("update holdfast.order_keys set head = $1 where key = 'line'", second)
    await conn.execute(
        "update holdfast.jobs set state = case when id = $1 then 'ready' else 'waiting' end,"
        " waits_for = case when id <> $1 then 'order' end, rank_at = clock_timestamp()",
        second,
    )
    worker = await a_worker(conn)
    assert await complete(conn, await claim_one(conn, worker))
    assert await complete(conn, await claim_one(conn, worker))


async def trail_with_a_gap(conn: Connection) -> None:
    await a_whole_trail(conn)
    assert await complete(conn, await running_job(conn))
    await conn.execute("delete from holdfast.events where cause = 'claim'")


async def trail_without_a_start(conn: Connection) -> None:
    await a_whole_trail(conn)
    await running_job(conn)
    await conn.execute("delete from holdfast.events where cause = 'enqueue'")


async def admitted_above_the_limit(conn: Connection) -> None:
    """Two ran at once, and are done before anybody looks."""
    worker = await a_worker(conn)
    await ready_job(conn)
    await ready_job(conn)
    for job in await claim(conn, worker, 2):
        assert await complete(conn, job)
    await conn.execute(
        "insert into holdfast.limits (kind, name, max_concurrent, changed_at)"
        " values ('task', 'task', 1, '2020-01-01Z')"
    )


RECORDED: list[Plant] = [
    lost_while_leased,
    unexplained_attempt,
    ran_out_of_order,
    trail_with_a_gap,
    trail_without_a_start,
    admitted_above_the_limit,
]
