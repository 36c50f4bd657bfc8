"""The pause of all queues ends, and those of single ones stay."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_job


async def test_a_queue_that_was_paused_by_itself_stays_paused(conn: Connection) -> None:
    for queue in ("a", "b", "c"):
        await a_queue(conn, queue)
        await ready_job(conn, queue=queue)
    await conn.execute("select holdfast.pause_queue('a', 'the vendor is down')")
    await conn.execute("select holdfast.pause_all_queues()")
    await conn.execute("select holdfast.pause_queue('b')")
    rest = await conn.fetch("select holdfast.resume_all_queues('checked', 'Ada')")
    assert [row[0] for row in rest] == ["a", "b"]
    claimed = await claim(conn, await a_worker(conn, ["a", "b", "c"]), 10)
    assert [
        await conn.fetchval("select queue from holdfast.jobs where id = $1", job.id) for job in claimed
    ] == ["c"]
    why = "select paused_reason from holdfast.queue_view where name = 'a'"
    assert await conn.fetchval(why) == "the vendor is down"
    last = "select cause, actor, reason from holdfast.event_view order by id desc limit 1"
    assert tuple(await conn.fetchrow(last) or ()) == ("resume_all", "Ada", "checked")


async def test_without_a_pause_of_all_nothing_happens(conn: Connection) -> None:
    await a_queue(conn, "a")
    assert await conn.fetch("select holdfast.resume_all_queues()") == []
