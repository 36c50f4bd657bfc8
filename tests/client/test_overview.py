"""The overview: figures by queue, what ended, what it says is wrong, and what a scope leaves out."""

from datetime import UTC, datetime, timedelta

from holdfast.client.app import Holdfast
from holdfast.client.overview import judged, read_overview
from holdfast.model.overview import Overview, OverviewEndpoint, OverviewQueue
from tests.builders import a_queue, completed_job, dead_job, ready_jobs, report, running_job

NOW = datetime(2030, 1, 31, 9, 0, tzinfo=UTC)
WELL = OverviewQueue("mail", False, 0, 0, 3, 1, NOW - timedelta(seconds=2), 60.0, 0, [])


async def test_queues_have_their_figures_and_the_verdict_its_reasons(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        async with app.database.transaction() as conn:
            await completed_job(conn, queue="mail", task="sent")
            await dead_job(conn, queue="mail", task="lost")
            slow = await running_job(conn, queue="slow", task="import")
            await report(conn, slow, done=1, total=4)
            await ready_jobs(conn, 30, queue="alone")
            await conn.execute("delete from holdfast.workers where queues = '{mail}'")
            await conn.execute("select holdfast.summarise_ends()")
            await conn.execute(
                "insert into holdfast.end_counts (minute, queue, task, state, jobs)"
                " values (date_trunc('minute', now()), 'alone', 'task', 'completed', 60)"
            )
        found = await read_overview(app.database)
        some = await read_overview(app.database, ["mail", "slow"])
        none = await read_overview(app.database, [])
    queues = {queue.name: queue for queue in found.queues}
    alone = queues["alone"]
    assert (alone.ready, alone.per_minute, alone.enqueued_per_minute) == (30, 6.0, 3.0)
    assert alone.empty_in == timedelta(minutes=10)
    assert not alone.is_served
    assert queues["mail"].dead == 1
    assert [one.task for one in found.running] == ["import"]
    assert {one.task: one.state for one in found.ended} == {"sent": "completed", "lost": "dead"}
    assert found.verdict == "bad"
    assert [one.title for one in found.problems] == [
        "mail has 1 open dead letter",
        "No live worker takes alone",
    ]
    assert [queue.name for queue in some.queues] == ["mail", "slow"]
    assert (some.workers, some.endpoints, some.errors) == ([], [], [])
    assert len(found.errors) == 1
    assert (none.queues, none.running, none.ended, none.verdict) == ([], [], [], "ok")


async def test_only_the_queues_of_a_scope_are_counted(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        async with app.database.transaction() as conn:
            for number in range(60):
                await a_queue(conn, f"queue-{number:02}")
        all_of_them = await read_overview(app.database)
        last = await read_overview(app.database, ["queue-59", "absent"])
    assert (len(all_of_them.queues), all_of_them.has_more_queues) == (50, True)
    assert ([queue.name for queue in last.queues], last.has_more_queues) == (["queue-59"], False)


def test_without_a_problem_the_verdict_is_ok() -> None:
    found = judged(Overview(NOW, [WELL], [], [], []))
    assert (found.verdict, found.problems) == ("ok", [])


def test_an_open_circuit_and_a_late_queue_are_named() -> None:
    late = OverviewQueue("late", False, 0, 0, 10_000, 1, NOW - timedelta(hours=1), 0.0, 0, ["ready"])
    paused = OverviewQueue("held", True, 0, 0, 1, 0, None, 0.0, 0, [])
    empty = OverviewQueue("empty", True, 0, 0, 0, 0, None, 0.0, 0, [])
    endpoint = OverviewEndpoint("ollama", "open", NOW, 0, 4)
    found = judged(Overview(NOW, [late, paused, empty], [], [], [], [endpoint]))
    assert found.verdict == "bad"
    assert [(one.weight, one.title) for one in found.problems] == [
        ("bad", "The circuit of ollama is open"),
        ("attention", "late falls behind"),
        ("attention", "held is paused"),
    ]
    assert found.problems[1].words == "More than 10,000 jobs ready, the oldest for 60 min."
