"""How far a person is from the cause: a few clicks from the first page to what to do about it."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from holdfast import Worker
from holdfast.api.people.action_worker import acting
from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.testing import install_fake_clock
from tests.builders import a_worker, ready_job, report, running_job
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


async def dead_bills(app: Holdfast) -> tuple[list[dict[str, str]], list[JobHandle[str]]]:
    """Three jobs that died of one cause, which goes away when the bill gets a sponsor."""
    bills: list[dict[str, str]] = [{}]

    @app.task(queue="alerts", retry=[])
    async def match_bill(number: int) -> str:
        return bills[0]["sponsor"]

    jobs = await match_bill.enqueue_many([match_bill.call(number) for number in range(3)])
    await Worker(app, ["alerts"], drain=True).run()
    return bills, jobs


@pytest.mark.slow
async def test_a_failing_task_is_found_understood_and_replayed_in_five_clicks(
    tab: Page, app: Holdfast, acts: None
) -> None:
    bills, jobs = await dead_bills(app)
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


@pytest.mark.slow
async def test_a_hanging_job_is_understood_and_reclaimed_from_two_clicks_away(
    tab: Page, app: Holdfast
) -> None:
    """It runs, its worker is alive, and it has not told of progress for an hour."""
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        worker = await a_worker(conn, ["capture"], lease=timedelta(hours=2), host="ams-3")
        job = await running_job(conn, worker, queue="capture", task="capture")
        await report(conn, job, done=3, total=8, item="src/index/merge.rs")
        await clock.advance("1h")
    person = Person()
    await tab.goto("/")
    await person.click(tab.get_by_role("link", name="All running jobs"))
    await person.click(tab.locator(f"a[href$='/jobs/{job.id}']"))
    await expect(tab.locator(".verdict")).to_contain_text("Running for 60 min, attempt 1.")
    await expect(tab.locator(".reasons")).to_contain_text(f"Worker {worker} on ams-3 has it since")
    await expect(tab.get_by_text("src/index/merge.rs").last).to_be_visible()
    await expect(tab.get_by_text(re.compile("reported (1 h|60 min) ago"))).to_be_visible()
    await person.click(tab.get_by_role("button", name="Reclaim…"))
    assert person.clicks <= 3
    dialog = tab.get_by_role("dialog", name="Reclaim this job?")
    await dialog.get_by_label("Reason").fill("it hangs")
    await dialog.get_by_role("button", name="Reclaim the job").click()
    await expect(tab.locator(".badge.is-ready").first).to_be_visible(timeout=LONG)
    assert await app.job(job.id).status() == "ready"
    assert (await app.audit.find(1))[0].reason == "it hangs"


@pytest.mark.slow
@pytest.mark.parametrize("is_repaired", [True, False])
async def test_a_canary_goes_first_and_the_others_follow_if_it_completes(
    is_repaired: bool, tab: Page, app: Holdfast, acts: None
) -> None:
    bills, jobs = await dead_bills(app)
    bills[0] |= {"sponsor": "Ada"} if is_repaired else {}
    await tab.goto("/dead")
    await tab.get_by_role("button", name="Replay 3…").click()
    dialog = tab.get_by_role("dialog", name="Replay 3 dead letters?")
    await expect(dialog.get_by_label("Canary")).to_have_value("1")
    await dialog.get_by_label("Reason").fill("the sponsor is optional now")
    await dialog.get_by_role("button", name="Replay 3 jobs").click()
    await _until(jobs, ["dead", "dead", "ready"])
    await Worker(app, ["alerts"], drain=True).run()
    if is_repaired:
        await expect(tab.locator(".verdict")).to_have_text("3 replayed.", timeout=LONG)
    else:
        await expect(tab.locator("dl.kv")).to_contain_text("ended dead", timeout=LONG)
        await expect(tab.locator("tbody")).to_have_text("Replayed1")
    await expect(tab.get_by_text("Canaries")).to_be_visible()
    await Worker(app, ["alerts"], drain=True).run()
    assert [await job.status() for job in jobs] == ["completed" if is_repaired else "dead"] * 3


async def _until(jobs: Sequence[JobHandle[str]], states: list[str]) -> None:
    async with asyncio.timeout(PATIENCE):
        while sorted([str(await job.status()) for job in jobs]) != states:
            await asyncio.sleep(0.02)
