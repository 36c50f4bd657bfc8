"""Nothing is claimed while all queues are paused, of queues that are named later neither."""

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from tests.builders import a_worker, claim, complete, ready_job, running_job

PAUSE = "select holdfast.pause_all_queues('a copy of production', 'Ada')"


async def test_no_queue_is_claimed_from_and_what_runs_goes_on(conn: Connection) -> None:
    running = await running_job(conn)
    await ready_job(conn)
    await conn.execute(PAUSE)
    await ready_job(conn, queue="named later")
    worker = await a_worker(conn, ["default", "named later"])
    assert await claim(conn, worker, 10) == []
    assert await complete(conn, running)
    await conn.execute("select holdfast.resume_all_queues()")
    assert len(await claim(conn, worker, 10)) == 2


async def test_every_queue_is_shown_as_paused_and_explain_says_why(conn: Connection) -> None:
    job = await ready_job(conn)
    await a_worker(conn)
    await conn.execute(PAUSE)
    row = await conn.fetchrow("select paused_at, paused_reason, paused_by from holdfast.queue_view")
    assert row is not None
    assert row["paused_at"] == await conn.fetchval("select paused_at from holdfast.pause_view")
    assert row["paused_reason"] == "all queues are paused: a copy of production"
    assert row["paused_by"] == "Ada"
    (blocker,) = await stats.explain(conn, JobId(job))
    assert blocker.blocker == "all_paused"
    assert "a copy of production" in blocker.detail


async def test_no_queue_is_neglected_and_a_drain_waits_for_none(conn: Connection) -> None:
    await ready_job(conn, task="greet")
    worker = await a_worker(conn, ["default"], tasks=["greet"])
    left = "select state from holdfast.left_to_drain($1, '1 second')"
    assert [row[0] for row in await conn.fetch(left, worker)] == ["ready"]
    await conn.execute(PAUSE)
    assert await conn.fetch(left, worker) == []
    await conn.execute("select holdfast.stop_worker($1)", worker)
    assert await conn.fetch("select holdfast.neglected_queues()") == []


async def test_a_second_pause_keeps_the_time_and_takes_the_new_reason(conn: Connection) -> None:
    await conn.execute(PAUSE)
    first = await conn.fetchval("select paused_at from holdfast.pause_view")
    await conn.execute("select holdfast.pause_all_queues('password=hunter2', 'Grace')")
    (row,) = await conn.fetch("select paused_at, reason, actor from holdfast.pause_view")
    assert tuple(row) == (first, "password=[redacted]", "Grace")
    events = await conn.fetch("select cause, actor, reason from holdfast.event_view order by id")
    assert [tuple(event) for event in events] == [
        ("pause_all", "Ada", "a copy of production"),
        ("pause_all", "Grace", "password=[redacted]"),
    ]
