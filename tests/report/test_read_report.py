"""A report agrees with the ledger of the day that it reports on."""

from datetime import timedelta

import asyncpg
import pytest

from holdfast.client.report.period import choose_period
from holdfast.client.report.read_report import read_report
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.report import Report
from holdfast.report.page import html_page
from tests.builders import a_worker
from tests.report.busy_day import Ledger, busy_day

DAYS: list[tuple[Ledger, Report]] = []  # one, which the tests of this process share: none changes it


@pytest.fixture
async def day(database_url: str, db: Database) -> tuple[Ledger, Report]:
    """Forty minutes of a busy day, and a report on them."""
    if not DAYS:
        DAYS.append(await a_day(database_url, db))
    return DAYS[0]


async def a_day(database_url: str, db: Database) -> tuple[Ledger, Report]:
    conn = await asyncpg.connect(database_url)
    try:
        ledger = await busy_day(conn, hours=2 / 3, rate=6, tick=timedelta(seconds=20))
    finally:
        await conn.close()
    return ledger, await read_report(db, "1h")


@pytest.mark.slow
async def test_every_sum_agrees_with_the_ledger(day: tuple[Ledger, Report]) -> None:
    ledger, report = day
    ended = report.ended
    states = {name: getattr(ended, name) for name in ("completed", "rejected", "dead", "advanced")}
    assert states == {name: ledger.of(name) for name in states}
    assert ended.jobs == ledger.of("completed") + ledger.of("rejected") + ledger.of("dead") > 100
    assert ended.failed == ledger.failed > 0
    assert ended.retried == sum(ledger.retried.values()) == report.retries.jobs
    assert report.retries.completed == ledger.retried["completed"] + ledger.retried["advanced"]
    assert ended.units == pytest.approx(ledger.units)
    assert report.models.items[0].calls + report.models.items[1].calls == ledger.calls


async def test_every_way_of_counting_gives_the_same_sum(day: tuple[Ledger, Report]) -> None:
    ledger, report = day
    for name in ("jobs", "completed", "dead", "advanced", "failed", "units"):
        total = pytest.approx(getattr(report.ended, name))
        for parts in (report.queues.items, report.tasks.items, report.timeline):
            assert sum(getattr(one.ends, name) for one in parts) == total, name
    assert {one.name: one.ends.visits for one in report.tasks.items} == dict(ledger.tasks)
    assert sum(one.attempts for one in report.errors.items) >= ledger.failed
    assert all(sum(one.trend) == one.attempts for one in report.errors.items)


async def test_the_pipeline_names_its_bottleneck_and_why(day: tuple[Ledger, Report]) -> None:
    _, report = day
    (posts,) = report.pipelines.items
    assert [stage.name for stage in posts.stages] == ["triage", "research", "response", "editorial"]
    assert posts.bottleneck is not None
    assert posts.bottleneck.stage == "research"
    assert any("of the time that jobs wait" in one for one in posts.bottleneck.reasons)
    titles = [problem.title for problem in report.problems]
    assert "research holds up the pipeline posts" in titles
    assert "No live worker takes capture-backfill" in titles


async def test_what_is_live_now_is_in_it(day: tuple[Ledger, Report]) -> None:
    ledger, report = day
    live = sum(one.ready + one.running + one.scheduled + one.waiting for one in report.queues.items)
    assert live == ledger.left
    (worker,) = report.workers.items
    assert (worker.host, worker.slots) == ("ams-1", 40)
    busiest = next(one for one in report.queues.items if one.name == "chat-replies")
    assert busiest.need is not None
    assert (busiest.workers, busiest.need.slots) == (1, 40)
    endpoint = next(one for one in report.endpoints.items if one.name == "ollama-12b")
    assert endpoint.started > 0
    assert endpoint.started == sum(one.started for one in endpoint.slices)
    assert report.slowest.items == sorted(report.slowest.items, key=lambda one: one.ran, reverse=True)


async def test_workers_that_left_are_in_it(database_url: str, db: Database) -> None:
    conn = await asyncpg.connect(database_url)
    worker = await a_worker(conn, group="nightly")
    await conn.execute("select holdfast.stop_worker($1, '{\"processed\": 7}')", worker)
    await conn.close()
    report = await read_report(db, "24h")
    (left,) = report.left_workers.items
    assert (left.group, left.workers, left.lost, left.processed) == ("nightly", 1, 0, 7)
    assert "nightly" in html_page(report)


async def test_an_empty_database_has_a_report_without_figures(db: Database) -> None:
    report = await read_report(db, "24h")
    assert (report.problems, report.notes, report.ended.jobs) == ([], [], 0)
    assert len(report.timeline) == report.period.slices == 48
    for part in (
        report.queues,
        report.tasks,
        report.errors,
        report.endpoints,
        report.pipelines,
        report.workers,
    ):
        assert (part.items, part.more, part.is_partial) == ([], 0, False)


@pytest.mark.parametrize(
    ("since", "slices", "minutes"),
    [("1m", 1, 1), ("1h", 60, 1), ("24h", 48, 30), ("7d", 56, 180), ("30d", 60, 720)],
)
async def test_a_period_has_at_most_sixty_slices_of_a_round_length(
    since: str, slices: int, minutes: int, db: Database
) -> None:
    period = choose_period(since, (await read_report(db, "1m")).generated_at)
    assert (period.slices, period.slice) == (slices, timedelta(minutes=minutes))
    assert period.until - period.since == period.length == slices * period.slice
    assert period.until.second == 0


@pytest.mark.parametrize("since", ["10s", "31d"])
async def test_a_period_that_is_too_short_or_too_long_is_refused(since: str, db: Database) -> None:
    with pytest.raises(InvalidOption, match="between 1 min and 30 d"):
        await read_report(db, since)
