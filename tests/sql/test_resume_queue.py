"""paused -> running: a queue's jobs are claimed again."""

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, ready_job, refusal
from tests.sql.notify_ready.hints import hints_of


async def test_a_resumed_queue_is_claimed_from_again(conn: Connection) -> None:
    job = await ready_job(conn, queue="q")
    worker = await a_worker(conn, queues=["q"])
    await conn.execute("select holdfast.pause_queue('q', 'hot')")
    assert await claim(conn, worker) == []
    await conn.execute("select holdfast.resume_queue('q', 'password=hunter2', 'Grace')")
    assert [one.id for one in await claim(conn, worker)] == [job]
    (event,) = await conn.fetch("select queue, actor, reason from holdfast.events where cause = 'resume'")
    assert tuple(event) == ("q", "Grace", "password=[redacted]")


async def test_idle_workers_are_woken(database_url: str) -> None:
    declare = "select holdfast.declare_queue('q'), holdfast.pause_queue('q')"
    assert await hints_of(database_url, declare, "select holdfast.resume_queue('q')") == ["q"]


async def test_a_queue_that_does_not_exist_cannot_be_resumed(conn: Connection) -> None:
    assert (await refusal(conn, "select holdfast.resume_queue('no-such')")).sqlstate == "HF004"
