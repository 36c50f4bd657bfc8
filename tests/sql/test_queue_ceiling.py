"""How many jobs of a queue may run at once, and that no more workers are recommended."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_jobs


async def test_no_more_are_recommended_than_limits_and_endpoints_let_work(conn: Connection) -> None:
    await conn.execute("select holdfast.declare_endpoint('llama', $1)", '{"max": 3, "mode": "fixed"}')
    await a_queue(conn, "default", endpoint="llama")
    await ready_jobs(conn, 600)
    assert await workers(conn) == 3
    assert await ceiling(conn) == (3, "llama admits 3")
    await a_queue(conn, "default", endpoint="llama", max_concurrent=2)
    assert await workers(conn) == 2
    assert await ceiling(conn) == (2, "the queue runs at most 2 at once")
    await claim(conn, await a_worker(conn))
    await conn.execute("select holdfast.pause_queue('default', 'maintenance', 'ada')")
    assert await ceiling(conn) == (0, "the queue is paused")
    assert await workers(conn) == 1, "for the job that runs"


async def test_a_queue_whose_jobs_call_nothing_has_no_ceiling(conn: Connection) -> None:
    await conn.execute("select holdfast.declare_endpoint('llama', $1)", '{"max": 3, "mode": "fixed"}')
    await ready_jobs(conn, 300, endpoint="llama")
    await ready_jobs(conn, 300)
    assert await ceiling(conn) == (None, None)
    assert await workers(conn) > 3


async def ceiling(conn: Connection) -> tuple[int | None, str | None]:
    row = await conn.fetchrow("select most, limited_by from holdfast.queue_ceiling('default')")
    assert row is not None
    return row["most"], row["limited_by"]


async def workers(conn: Connection) -> int:
    found: int = await conn.fetchval(
        "select workers from holdfast.recommended_workers('default', '30 seconds', '10 minutes', 1)"
    )
    return found
