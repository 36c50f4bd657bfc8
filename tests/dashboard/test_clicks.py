"""How far a person is from the cause: a few clicks from the first page to what to do about it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from holdfast import Worker
from holdfast.api.people.action_worker import acting
from holdfast.client.app import Holdfast
from tests.builders import a_worker, ready_job
from tests.patience import PATIENCE

LONG = PATIENCE * 1000


class Person:
    """Counts what is clicked. Reading and typing are free."""

    def __init__(self) -> None:
        self.clicks = 0

    async def click(self, target: Locator) -> None:
        self.clicks += 1
        await target.click()


@pytest_asyncio.fixture(loop_scope="session")
async def acts(database_url: str) -> AsyncIterator[None]:
    """The server does bulk actions, as `holdfast serve` does."""
    async with acting(database_url):
        yield


@pytest.mark.slow
async def test_a_failing_task_is_found_understood_and_replayed_in_five_clicks(
    tab: Page, app: Holdfast, acts: None
) -> None:
    bills: list[dict[str, str]] = [{}]

    @app.task(queue="alerts", retry=[])
    async def match_bill(number: int) -> str:
        return bills[0]["sponsor"]

    jobs = await match_bill.enqueue_many([match_bill.call(number) for number in range(3)])
    await Worker(app, ["alerts"], drain=True).run()
    person = Person()
    await tab.goto("/")
    await person.click(tab.get_by_role("link", name="3 dead letters of one cause in alerts"))
    await expect(tab.locator("#group-title")).to_have_text("KeyError")
    await expect(tab.get_by_label("Traceback of an example")).to_contain_text('bills[0]["sponsor"]')
    await expect(tab.get_by_text("in match_bill").first).to_be_visible()
    bills[0]["sponsor"] = "Ada"  # the task is repaired
    await person.click(tab.get_by_role("button", name="Replay 3…"))
    dialog = tab.get_by_role("dialog", name="Replay 3 dead letters?")
    await dialog.get_by_label("Canary").fill("0")
    await dialog.get_by_label("Reason").fill("the sponsor is optional now")
    await person.click(dialog.get_by_role("button", name="Replay 3 jobs"))
    await expect(tab.locator(".verdict")).to_have_text("3 replayed.", timeout=LONG)
    assert person.clicks <= 5
    await Worker(app, ["alerts"], drain=True).run()
    assert [await job.status() for job in jobs] == ["completed"] * 3


@pytest.mark.slow
async def test_why_a_job_is_stuck_is_three_clicks_away(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_worker(conn)
        job = await ready_job(conn, queue="capture", task="capture")
        await conn.execute("select holdfast.pause_queue('capture', 'the disk is full', 'ada')")
    person = Person()
    await tab.goto("/")
    await person.click(tab.get_by_role("link", name="capture is paused"))
    await expect(tab.get_by_text("the disk is full").first).to_be_visible()
    await person.click(tab.get_by_role("link", name="All jobs"))
    await person.click(tab.locator(f"a[href$='/jobs/{job}']"))
    await expect(tab.locator(".reasons")).to_contain_text("the disk is full")
    assert person.clicks <= 3
