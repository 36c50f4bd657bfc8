"""Queues with ready jobs that nobody works for."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, ready_job, scheduled_job

NEGLECTED = "select holdfast.neglected_queues($1)"


async def neglected(conn: Connection, most: int = 1000) -> list[str]:
    return [row[0] for row in await conn.fetch(NEGLECTED, most)]


async def test_only_queues_with_ready_jobs_and_without_a_worker_are_named(conn: Connection) -> None:
    await a_queue(conn, "empty")
    await scheduled_job(conn, queue="later")
    await ready_job(conn, queue="paused")
    await conn.execute("select holdfast.pause_queue('paused')")
    await ready_job(conn, queue="served")
    await a_worker(conn, ["served"])
    await ready_job(conn, queue="alone")
    await ready_job(conn, queue="alone", group="g")
    assert await neglected(conn) == ["alone"]


async def test_so_many_are_named_at_most(conn: Connection) -> None:
    for n in range(5):
        await ready_job(conn, queue=f"q {n}")
    assert len(await neglected(conn, 3)) == 3


async def test_a_paused_queue_is_not_named_while_no_worker_is_there(conn: Connection) -> None:
    await ready_job(conn, queue="paused")
    await conn.execute("select holdfast.pause_queue('paused')")
    assert await neglected(conn) == []
