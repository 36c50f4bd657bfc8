"""How many workers of their own the waiting suspects need, and who starts them."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, expire_worker, ready_jobs, rescue


async def suspects(conn: Connection, count: int, queue: str = "default", **options: object) -> None:
    """Jobs that were lost together."""
    worker = await a_worker(conn, [queue])
    await ready_jobs(conn, count, queue=queue, **options)
    assert len(await claim(conn, worker, count)) == count
    await expire_worker(conn, worker)
    await rescue(conn)


async def wanted(conn: Connection, worker: UUID) -> dict[str, int]:
    rows = await conn.fetch("select queue, wanted from holdfast.suspects_waiting($1)", worker)
    return {row["queue"]: row["wanted"] for row in rows}


async def test_without_suspects_nobody_is_needed(conn: Connection) -> None:
    worker = await a_worker(conn, isolation="children")
    await ready_jobs(conn, 5)
    assert await wanted(conn, worker) == {}


async def test_each_parent_starts_its_share(conn: Connection) -> None:
    await suspects(conn, 5)
    parents = [await a_worker(conn, isolation="children") for _ in range(2)]
    shares = [(await wanted(conn, parent))["default"] for parent in parents]
    assert sorted(shares) == [2, 3]


async def test_one_suspect_needs_one_worker_and_none_while_an_idle_one_is_there(conn: Connection) -> None:
    await suspects(conn, 1)
    parents = [await a_worker(conn, isolation="children") for _ in range(3)]
    assert sum([(await wanted(conn, parent))["default"] for parent in parents]) == 1
    await a_worker(conn, isolation="only")
    assert sum([(await wanted(conn, parent))["default"] for parent in parents]) == 0


async def test_a_suspect_that_cannot_start_needs_no_worker(conn: Connection) -> None:
    await conn.execute("select holdfast.declare_endpoint('model', '{}')")
    parent = await a_worker(conn, isolation="children")
    await suspects(conn, 2, endpoint="model")
    assert await wanted(conn, parent) == {"default": 2}
    await conn.execute("select holdfast.open_endpoint('model', 'an outage', 'Ada')")
    assert await wanted(conn, parent) == {}


async def test_sixteen_live_at_once_and_a_queue_without_any_gets_one_more(conn: Connection) -> None:
    await suspects(conn, 40)
    parent = await a_worker(conn, ["default", "other"], isolation="children")
    assert await wanted(conn, parent) == {"default": 16}
    for _ in range(16):
        await a_worker(conn, isolation="only")
    await suspects(conn, 3, "other")
    assert await wanted(conn, parent) == {"default": 0, "other": 1}


async def test_a_paused_queue_and_another_group_need_nobody(conn: Connection) -> None:
    await suspects(conn, 2)
    await conn.execute("select holdfast.pause_queue('default')")
    assert await wanted(conn, await a_worker(conn, isolation="children")) == {}
