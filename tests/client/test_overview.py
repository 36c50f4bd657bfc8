"""The overview: figures by queue, what ended, what it says is wrong, and what a scope leaves out."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.client.app import Holdfast
from holdfast.client.overview import judged, read_overview
from holdfast.db.queue_figures import queue_figures
from holdfast.model.overview import Overview, OverviewEndpoint, OverviewQueue
from holdfast.testing import install_fake_clock
from holdfast.testing.clock import FakeClock
from tests.builders import (
    a_queue,
    a_worker,
    claim,
    complete,
    completed_job,
    dead_job,
    ready_jobs,
    report,
    running_job,
)

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
    assert [one.title for one in found.problems] == ["mail has 1 open dead letter"], "a worker may come yet"
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


async def test_figures_of_queues_name_people_and_workers_only_if_asked(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        async with app.database.transaction() as conn:
            await ready_jobs(conn, 3, queue="mail")
            for queues in (["mail"], ["mail", "other"], ["other"]):
                await a_worker(conn, queues)
            await conn.execute("select holdfast.pause_queue('mail', 'the server is down', 'Ada')")
        (whole,) = await queue_figures(app.database, ["mail", "absent"], with_people=True)
        (limited,) = await queue_figures(app.database, ["mail"], with_people=False)
        (seen, _) = (await read_overview(app.database)).queues
        (of_scope,) = (await read_overview(app.database, ["mail"])).queues
        assert await queue_figures(app.database, [], with_people=True) == []
    assert (whole.ready, whole.paused_reason, whole.paused_by) == (3, "the server is down", "Ada")
    assert (whole.workers, whole.paused) == (2, True)
    assert (limited.paused_by, limited.workers, limited.paused_at) == (None, None, whole.paused_at)
    assert (seen, of_scope) == (whole, limited)


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


def a_late_queue(name: str, ready: int, minutes: int, **more: Any) -> OverviewQueue:
    return OverviewQueue(
        name, more.pop("paused", False), 0, 0, ready, 0, NOW - timedelta(minutes=minutes), 1.0, 0, [], **more
    )


def test_what_does_the_most_harm_stands_first() -> None:
    queues = [
        a_late_queue("a-paused", 900, 60, paused=True, paused_by="ada", paused_reason="maintenance."),
        a_late_queue("b-alone", 500, 2, is_served=False),
        a_late_queue("c-restarting", 500, 1, is_served=False),
        a_late_queue("d-late", 2, 12),
        a_late_queue("e-later", 8, 9, endpoint="x"),
        a_late_queue("f-grows", 1, 6, enqueued_per_minute=4.5, endpoint="x"),
        a_late_queue("g-grows-in-time", 9, 1, enqueued_per_minute=4.5, endpoint="x"),
        replace(WELL, name="h-few", dead=1),
        replace(WELL, name="i-many", dead=33),
    ]
    found = judged(Overview(NOW, queues, [], [], [], [OverviewEndpoint("x", "closed", None, 2, 2)]))
    cause = "Its endpoint x is at its limit of 2"
    assert [(one.title, one.words) for one in found.problems[2:]] == [
        (
            "f-grows falls behind and grows",
            f"{cause}. 1 job ready, the oldest for 6 min. 4.5 arrive per minute, 1.0 leave.",
        ),
        (
            "e-later falls behind",
            f"{cause}. 8 jobs ready, the oldest for 9 min.",
        ),
        ("d-late falls behind", "2 jobs ready, the oldest for 12 min."),
        ("No live worker takes b-alone", "500 jobs ready, the oldest for 2 min."),
        ("a-paused is paused", "By ada: maintenance. 900 jobs ready, the oldest for 60 min."),
    ]
    assert [one.subject for one in found.problems[:2]] == ["i-many", "h-few"]
    assert [one.command for one in found.problems[2:5]] == [
        "holdfast endpoints show x",
        "holdfast endpoints show x",
        "holdfast queues show d-late",
    ]


def test_a_queue_that_is_worked_off_after_a_burst_does_not_grow() -> None:
    late = a_late_queue("mail", 69, 9, enqueued_per_minute=27.0, empty_in=timedelta(minutes=4))
    (found,) = judged(Overview(NOW, [late], [], [], [])).problems
    assert (found.title, found.words) == (
        "mail falls behind",
        "69 jobs ready, the oldest for 9 min. Empty in about 4 min.",
    )


def test_a_late_queue_names_its_endpoint_and_its_own_limit() -> None:
    late = replace(a_late_queue("mail", 69, 9, endpoint="x"), running=4, max_concurrent=4)
    endpoint = OverviewEndpoint("x", "closed", None, 4, 4)
    (found,) = judged(Overview(NOW, [late], [], [], [], [endpoint])).problems
    assert found.words.startswith(
        "Its endpoint x is at its limit of 4, and the queue itself runs at most 4 at once. 69 jobs"
    )
    (found,) = judged(Overview(NOW, [late], [], [], [])).problems
    assert found.words.startswith("The queue itself runs at most 4 at once. 69 jobs")


async def test_a_queue_does_not_grow_while_its_depth_falls(database_url: str) -> None:
    """Thirty jobs came in one burst and ten left: more came in ten minutes than left."""
    async with Holdfast(database_url) as app:
        async with app.database.transaction() as conn:
            await install_fake_clock(conn)
            await ready_jobs(conn, 30, queue="mail")
            worker = await a_worker(conn, ["mail"], lease=timedelta(days=1))
        for _ in range(2):
            async with app.database.transaction() as conn:
                await conn.execute("select holdfast.sample_depths(), holdfast.summarise_ends()")
                await FakeClock(conn).advance(60)
                for job in await claim(conn, worker, 5):
                    await complete(conn, job)
        (queue,) = await queue_figures(app.database, ["mail"], with_people=False)
        assert queue.enqueued_per_minute > queue.per_minute
        assert (queue.grows, queue.empty_in) == (False, timedelta(minutes=4))
        async with app.database.transaction() as conn:
            await FakeClock(conn).advance(300)
        (queue,) = await queue_figures(app.database, ["mail"], with_people=False)
        assert queue.grows, "without a sample of the last minutes"
