"""The overview in a browser: live updates change it in place."""

from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from playwright.async_api import Page

from holdfast.dashboard import live
from holdfast.dashboard.kept import Kept
from holdfast.db.connect import Connection
from holdfast.testing.clock import FakeClock
from tests.builders import claim, complete, fail, report

SHIFTS = """() => { window.shifts = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push({
    value: entry.value, of: entry.sources.map((one) => one.node?.outerHTML?.slice(0, 120) ?? "") });
}).observe({ type: "layout-shift", buffered: true }); }"""
# A browser does not count what moves because an element above it was replaced by a larger one.
PLACES = """() => [...document.querySelectorAll("main h1, main h2, main tbody tr")].map(
  (one) => Math.round(one.getBoundingClientRect().top + scrollY))"""
MOST = 0.02  # of a screen, in sum
UPDATES = 6


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept between two updates, so that each of them may move whatever can move."""

    async def read(self: Any, key: Any, read_again: Callable[[], Awaitable[Any]], share: Any) -> Any:
        return await read_again()

    monkeypatch.setattr(Kept, "get", read)
    monkeypatch.setattr(live, "PACE", live.PACE / 10)


@pytest.mark.slow
async def test_nothing_moves_while_jobs_end(at_once: None, busy: str, tab: Page) -> None:
    conn = await asyncpg.connect(busy)
    await tab.goto("/")
    await tab.evaluate(SHIFTS)
    places = await tab.evaluate(PLACES)
    clock = FakeClock(conn)
    worker = await conn.fetchval("select id from holdfast.worker_view")
    for number in range(UPDATES):
        await _work(conn, worker, number)
        now = await clock.advance("20s")
        shown = f".live time[datetime='{now.isoformat(timespec='seconds')}']"
        await tab.wait_for_selector(shown)
        assert await tab.evaluate(PLACES) == places
    shifts = await tab.evaluate("() => window.shifts")
    await conn.close()
    assert sum(one["value"] for one in shifts) <= MOST, shifts


async def _work(conn: Connection, worker: Any, number: int) -> None:
    """Jobs end well and badly, others start and tell how far they are."""
    for place, job in enumerate(await claim(conn, worker, 4 + number)):
        if place == 0:
            await report(conn, job, done=number, total=100_000, item="a/long/path/of/files" * number)
        elif place == 1:
            await fail(conn, job, error_class="permanent")
        else:
            await complete(conn, job)
    await conn.execute("select holdfast.summarise_ends()")
    await conn.execute("select holdfast.sample_depths()")
