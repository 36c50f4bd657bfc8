"""Lists keep their order while they are read: what came or went is counted, and shown when asked for."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from holdfast.client.app import Holdfast
from holdfast.dashboard import live
from holdfast.db.worker import stop_worker
from holdfast.model.id import WorkerId
from tests.builders import a_queue, a_worker, dead_job, ready_jobs
from tests.patience import PATIENCE

NO_LONGER_THAN = int(PATIENCE * 1000)
pytestmark = pytest.mark.slow


@pytest_asyncio.fixture(loop_scope="session")
async def fast(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(live, "PACE", timedelta(milliseconds=100))
    yield


@pytest_asyncio.fixture(loop_scope="session")
async def watched(fast: None, tab: Page) -> Page:
    return tab


async def look(tab: Page, path: str) -> Locator:
    """At a list; its notice."""
    await tab.goto(path)
    await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
    return tab.locator("#news")


async def queues_of(app: Holdfast, *names: str) -> None:
    async with app.database.transaction() as conn:
        for name in names:
            await a_queue(conn, name)


async def test_a_new_row_waits_until_the_reader_asks_for_it(watched: Page, app: Holdfast) -> None:
    await queues_of(app, "mail", "news")
    notice = await look(watched, "/queues")
    names = watched.locator("[data-rows=queues] .name")
    await expect(notice).to_be_hidden()
    await queues_of(app, "chat")
    await expect(notice).to_have_text("1 newShow", timeout=NO_LONGER_THAN)
    await expect(names).to_have_text(["mail", "news"])
    await expect(watched.get_by_text("3 queues", exact=True)).to_be_visible()
    await notice.click()
    await expect(names).to_have_text(["chat", "mail", "news"])
    await expect(notice).to_be_hidden()


async def test_rows_change_in_their_places_and_take_new_ones_when_asked(watched: Page, app: Holdfast) -> None:
    """A queue without a worker stands before those that are open."""
    await queues_of(app, "chat", "mail")
    notice = await look(watched, "/queues")
    names = watched.locator("[data-rows=queues] .name")
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 7, queue="mail")
    await expect(notice).to_have_text("Order changedShow", timeout=NO_LONGER_THAN)
    await expect(names).to_have_text(["chat", "mail"])
    await expect(watched.get_by_role("row").filter(has_text="mail")).to_contain_text("no worker")
    await watched.reload()
    await expect(names).to_have_text(["mail", "chat"])


async def test_a_row_that_is_no_more_says_so_until_the_reader_asks(watched: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_worker(conn, host="first", lease=timedelta(hours=1))
        second = await a_worker(conn, host="second", lease=timedelta(hours=1))
    notice = await look(watched, "/workers")
    rows = watched.locator("[data-rows=workers] > tr")
    await stop_worker(app.database, WorkerId(second))
    await expect(notice).to_have_text("1 goneShow", timeout=NO_LONGER_THAN)
    await expect(rows).to_have_count(2)
    await expect(watched.locator(".gone")).to_contain_text("second")
    await expect(watched.locator(".gone")).to_have_attribute("title", "No longer in this list")
    await notice.click()
    await expect(rows).to_have_count(1)
    await expect(watched.locator(".gone")).to_have_count(0)


async def test_the_group_that_is_read_stays_when_another_one_becomes_larger(
    watched: Page, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await dead_job(conn, "the first cause", queue="mail", task="send")
    notice = await look(watched, "/dead")
    async with app.database.transaction() as conn:
        for _ in range(2):
            await dead_job(conn, "another cause altogether", queue="mail", task="post")
    await expect(notice).to_have_text("1 newShow", timeout=NO_LONGER_THAN)
    await expect(watched.locator("#chosen")).to_contain_text("the first cause")
    await notice.click()
    await expect(watched.locator(".groups li")).to_have_count(2)
    await expect(watched.locator("#chosen")).to_contain_text("the first cause")
    await watched.reload()
    await expect(watched.locator("#chosen")).to_contain_text("another cause altogether")
