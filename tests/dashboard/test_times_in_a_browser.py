"""Times in the reader's zone, UTC in their hints: in texts, on axes and in what the doctor says."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import asyncpg
import pytest_asyncio
from playwright.async_api import Browser, ElementHandle, Page, expect

from holdfast.client.app import Holdfast
from holdfast.dashboard.words import with_clocks
from holdfast.testing.clock import install_fake_clock
from tests.builders import a_worker, claim_one, complete, ready_job

ZONE = "America/New_York"
TICKS = "svg text tspan[data-at]"
HINT = "(tick) => tick.parentNode.querySelector('title').textContent"


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser: Browser, address: str) -> AsyncIterator[Page]:
    context = await browser.new_context(base_url=address, timezone_id=ZONE)
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def slow_job(database_url: str) -> str:
    """It waited for 50 minutes, and has just ended."""
    conn = await asyncpg.connect(database_url)
    clock = await install_fake_clock(conn)
    await clock.set(datetime(2030, 1, 31, 9, 0, tzinfo=UTC))
    await conn.execute("select holdfast.make_partitions()")
    await ready_job(conn, queue="mail")
    await clock.advance("50m")
    await conn.execute("select holdfast.sample_depths()")
    job = await claim_one(conn, await a_worker(conn, ["mail"]))
    await complete(conn, job)
    await conn.execute("select holdfast.summarise_ends()")
    await conn.close()
    return f"/jobs/{job.id}"


async def at(tick: ElementHandle) -> datetime:
    return datetime.fromisoformat(await tick.get_attribute("data-at") or "").astimezone(ZoneInfo(ZONE))


async def test_axes_say_the_readers_time_and_utc_in_their_hints(slow_job: str, tab: Page) -> None:
    for path in ("/", "/queues/mail", "/reports?since=1h", slow_job):
        await tab.goto(path)
        ticks = await tab.query_selector_all(TICKS)
        assert len(ticks) >= 3, path
        for tick in ticks:
            shown = await at(tick)
            assert await tick.text_content() == f"{shown:%H:%M}", path
            assert await tick.evaluate(HINT) == f"{shown.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        zones = await tab.locator("main [data-zone]").all_text_contents()
        assert {*zones} == {ZONE}, path


async def test_a_day_begins_at_the_readers_midnight(slow_job: str, tab: Page) -> None:
    for path in ("/?since=24h", "/?since=7d"):
        await tab.goto(path)
        for tick in await tab.query_selector_all(TICKS):
            shown = await at(tick)
            is_midnight = f"{shown:%H:%M}" == "00:00"
            time = "" if is_midnight else f"{shown:%H:%M}"
            day = f"{shown.day} {shown:%b}" if is_midnight or "7d" in path else ""
            assert await tick.text_content() == ", ".join(filter(None, (day, time))), path


async def test_a_phone_shows_how_old_the_page_is_unless_it_is_live(slow_job: str, tab: Page) -> None:
    await tab.set_viewport_size({"width": 390, "height": 800})
    await tab.goto("/")
    await expect(tab.locator(".live[data-state=live]")).to_be_visible()
    await expect(tab.locator(".live time")).to_be_hidden()
    await tab.get_by_role("button", name="Pause live updates").click()
    await expect(tab.locator(".live time")).to_be_visible()


async def test_what_the_doctor_says_has_the_readers_time(slow_job: str, tab: Page, app: Holdfast) -> None:
    await app.database.execute("select holdfast.pause_all_queues('moving', 'Ada')")
    await tab.goto("/doctor")
    time = tab.locator("main .checks time").first
    assert await time.get_attribute("title") == "2030-01-31 09:50:00 UTC"
    assert await time.text_content() == "31 Jan 2030, 04:50:00 GMT-5"


def test_words_that_only_look_like_a_time_stay_as_they_are() -> None:
    assert with_clocks("<b> 2030-99-31 09:00:00Z") == "&lt;b&gt; 2030-99-31 09:00:00Z"
    assert 'datetime="2030-01-31T09:00:00+00:00"' in with_clocks("since 2030-01-31 09:00:00Z.")
