"""Live pages in a browser: nothing moves on any of them while jobs come, run and end."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from holdfast.client.app import Holdfast
from holdfast.dashboard import live
from holdfast.dashboard.dashboard import PAGES
from holdfast.dashboard.kept import Kept
from holdfast.db.connect import Connection
from holdfast.db.endpoints import close_endpoint, open_endpoint
from holdfast.db.queues import pause_queue, resume_queue
from holdfast.db.worker import stop_worker
from holdfast.model.id import WorkerId
from holdfast.testing.clock import FakeClock
from tests.api.serving import served
from tests.builders import (
    Running,
    a_sealed_run,
    a_worker,
    claim,
    claim_one,
    complete,
    dead_job,
    fail,
    ready_jobs,
    report,
)
from tests.dashboard.busy import fill, keyless
from tests.dashboard.conftest import World
from tests.dashboard.samples import SAMPLES
from tests.database import fresh_database
from tests.patience import PATIENCE
from tests.report.busy_day import TASKS

NO_LONGER_THAN = int(PATIENCE * 1000)

SHIFTS = """() => { window.shifts = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push({
    value: entry.value, of: entry.sources.map((one) => one.node?.outerHTML?.slice(0, 120) ?? "") });
}).observe({ type: "layout-shift", buffered: true }); }"""
# A browser does not count what moves because an element above it was replaced by a larger one.
PLACES = """() => [...document.querySelectorAll("main h1, main h2, main tbody tr")].filter(
  (one) => one.checkVisibility()).map((one) => Math.round(one.getBoundingClientRect().top + scrollY))"""
SUM = "() => window.shifts.reduce((sum, one) => sum + one.value, 0)"
FOUND = """(most) => new Promise((done) => {
  const sum = () => window.shifts.reduce((sum, one) => sum + one.value, 0);
  const look = () => (sum() > most ? done() : requestAnimationFrame(look));
  look();
})"""
MOST = 0.02  # of a screen, in sum
UPDATES = 6
LIVE = sorted({page.path for page in PAGES if page.is_live})
A_JOB = "/jobs/{job_id}"
A_WORKER = "/workers/{worker_id}"
LATER_MOVES = [(390, A_WORKER)]  # a free slot is lower than a job, at the end of the list


async def _read(self: Any, key: Any, read: Callable[[], Awaitable[Any]], share: Any) -> Any:
    return await read()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def moving(server_url: str, template: str, browser: Browser) -> AsyncIterator[World]:
    """One for all tests of this file: each of them lets its time go on. Nothing is kept between two updates,
    so that each of them may move whatever can move.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "get", _read)
        patch.setattr(live, "PACE", live.PACE / 10)
        async with fresh_database(server_url, template) as url:
            await fill(url, hours=0.25, rate=6)
            async with Holdfast(url, name="tests") as app, keyless(app) as api, served(api) as address:
                yield World(app, address, browser)


@asynccontextmanager
async def a_tab(moving: World, width: int, path: str) -> AsyncIterator[Page]:
    tab = await moving.browser.new_page(viewport={"width": width, "height": 900})
    try:
        await tab.goto(moving.address + path)
        await tab.evaluate(SHIFTS)
        yield tab
    finally:
        await tab.close()


LOOKS = [(width, one) for width in (1024, 390) for one in LIVE]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "path"), LOOKS)
async def test_nothing_moves_while_jobs_end(width: int, path: str, moving: World) -> None:
    """Rows may come at the end of what stands there."""
    async with moving.app.database.connection() as conn:
        clock, work = FakeClock(conn), Work(conn)
        job = await work.start()
        own = {A_JOB: f"/jobs/{job.id}", A_WORKER: f"/workers/{job.worker}"}
        address = own.get(path) or await SAMPLES[path](moving.app)
        async with a_tab(moving, width, address) as tab:
            places = await tab.evaluate(PLACES)
            for number in range(UPDATES):
                await work.go_on(number)
                now = await clock.advance("20s")
                shown = f".live time[datetime='{now.isoformat(timespec='seconds')}']"
                await tab.wait_for_selector(shown, state="attached")  # a telephone has no room for it
                if (width, path) not in LATER_MOVES and path != A_JOB:
                    assert (await tab.evaluate(PLACES))[: len(places)] == pytest.approx(places, abs=2), number
            assert await tab.evaluate(SUM) <= MOST, await tab.evaluate("() => window.shifts")
        await work.end()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1024, 390])
async def test_nothing_moves_while_a_job_is_tried_twice_and_completes(width: int, moving: World) -> None:
    async with moving.app.database.connection() as conn:
        clock = FakeClock(conn)
        worker = await a_worker(conn, ["watched"], lease=timedelta(days=1))
        (job,) = await ready_jobs(conn, 1, queue="watched", task="reply", retry={"delays": [20]})
        async with a_tab(moving, width, f"/jobs/{job}") as tab:

            async def look(words: str) -> None:
                await clock.advance("20s")
                await expect(tab.locator(".head .badge")).to_have_text(words, timeout=NO_LONGER_THAN)

            running = await claim_one(conn, worker)
            await look("Running")
            await report(conn, running, done=3, total=10, item="page 3")
            await fail(conn, running, message="no answer within 60 s")
            await look("Scheduled")
            await conn.execute("select holdfast.promote_jobs()")
            running = await claim_one(conn, worker)
            await look("Running")
            await complete(conn, running, {"pages": 10})
            await look("Completed")
            assert await tab.evaluate(SUM) <= MOST, await tab.evaluate("() => window.shifts")
        await stop_worker(conn, WorkerId(worker))


@pytest.mark.slow
async def test_what_moves_would_be_found(moving: World) -> None:
    async with a_tab(moving, 1024, "/queues") as tab:
        places = await tab.evaluate(PLACES)
        await tab.evaluate("() => document.querySelector('main').before(document.createElement('hr'))")
        await tab.evaluate("() => { document.querySelector('hr').style.height = '200px' }")
        await tab.evaluate(FOUND, MOST)
        assert await tab.evaluate(PLACES) != places


class Work:
    """Of the worker of the busy day, while a test looks at a page."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._worker: Any = None
        self._running: list[Running] = []

    async def start(self) -> Running:
        """A job that runs until the end."""
        self._worker = await self._conn.fetchval("select id from holdfast.worker_view where host = 'ams-1'")
        self._running = [await self._claim_one()]
        await report(self._conn, self._running[0], done=0, total=100, item="page 10")
        return self._running[0]

    async def _claim_one(self) -> Running:
        await ready_jobs(self._conn, 1, queue="chat-replies", task="reply")
        return (await claim(self._conn, self._worker))[0]

    async def go_on(self, number: int) -> None:
        """Jobs come, end well and badly, others start and tell how far they are."""
        await self._trouble(number)
        for queue, task in TASKS.items():
            await ready_jobs(self._conn, 3, queue=queue, task=task)
        self._running.append(await self._claim_one())
        first, *_, last = self._running
        await report(self._conn, first, done=number, total=100, item=f"page {10 + number}")
        await report(self._conn, last, done=number, total=100_000, item="a/long/path/of/files" * number)
        for place, job in enumerate(await claim(self._conn, self._worker, 3 + number)):
            if place == 0:
                await fail(self._conn, job, error_class="permanent")
            else:
                await complete(self._conn, job)
        await self._conn.execute("select holdfast.summarise_ends()")
        await self._conn.execute("select holdfast.sample_depths()")

    async def _trouble(self, number: int) -> None:
        """A queue falls behind, one is paused, calls stop; a queue, a cause and a run come."""
        name = f"queue {uuid4().hex[:6]}"
        if number == 1:
            await ready_jobs(self._conn, 300, queue="posts.triage", task="triage")
        if number == 2:
            await pause_queue(self._conn, "repo-capture", "the disk is full; it is being made larger", "ada")
            await open_endpoint(self._conn, "ollama-12b", "the model is being changed", "ada")
        if number == 3:
            await dead_job(self._conn, "a cause that no job had before", queue=name, task="match")
        if number == 4:
            await a_sealed_run(self._conn, 3)
            await resume_queue(self._conn, "repo-capture", "done", "ada")
            await close_endpoint(self._conn, "ollama-12b", "done", "ada")

    async def end(self) -> None:
        """The next test finds as many running jobs as this one."""
        for job in self._running:
            await complete(self._conn, job)
