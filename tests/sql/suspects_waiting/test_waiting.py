"""How many workers of their own the waiting suspects need, and who starts them."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, expire_worker, ready_jobs, rescue


async def suspects(conn: Connection, count: int, queue: str = "default") -> None:
    """Jobs that were lost together."""
    worker = await a_worker(conn, [queue])
    await ready_jobs(conn, count, queue=queue)
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
    assert [await wanted(conn, parent) for parent in parents] == [{"default": 3}] * 2


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
