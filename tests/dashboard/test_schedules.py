"""Schedules: what their page shows, and what a person does with one."""

from datetime import timedelta

import pytest
from httpx2 import AsyncClient
from playwright.async_api import Locator, Page, expect

from holdfast.client.app import Holdfast
from holdfast.testing import install_fake_clock
from holdfast.testing.clock import FakeClock
from tests.api.conftest import MakeKey
from tests.sql.schedules import an_active_schedule, fire


async def test_a_schedule_shows_its_times_in_words_its_state_and_its_last_job(
    http: AsyncClient, app: Holdfast
) -> None:
    await app.schedules.add("nightly", task="report", cron="30 2 * * *", tz="Europe/Berlin")
    await app.schedules.add("polling", task="match", every="15m")
    await app.schedules.pause("polling", "the source has moved")
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        slot = await an_active_schedule(conn, "hourly")
        await clock.set(slot)
        await fire(conn, slot)
    page = (await http.get("/schedules")).text
    assert "<title>3 schedules: 1 paused, 1 new, 1 active · Schedules · Holdfast</title>" in page
    assert "No worker has looked at 1 of them yet, so it makes no jobs" in page
    assert "not yet: no worker has loaded it" in page, "no time is promised"
    assert "4 more times</summary>" in page
    assert "at 02:30 every day, Europe/Berlin" in page
    assert "every 15 min" in page
    assert ": the source has moved" in page
    (job,) = await app.jobs()
    assert f'href="/jobs/{job.id}"' in page
    assert page.count("data-clock") >= 5, "the next times"


async def test_a_schedule_that_no_worker_loads_is_amber_after_a_minute(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await install_fake_clock(conn)
    await app.schedules.add("polling", task="match", every="15m")
    assert "is-attention" not in (await http.get("/schedules")).text
    async with app.database.transaction() as conn:
        await FakeClock(conn).advance(90)
    page = (await http.get("/schedules")).text
    assert 'No worker has looked at it yet, so it makes no jobs: <a href="/workers">is one running?' in page
    assert '<span class="state is-attention">' in page


async def test_a_run_by_hand_is_shown_beside_the_last_time(http: AsyncClient, app: Holdfast) -> None:
    await app.schedules.add("polling", task="match", every="15m")
    assert "none of its times yet" in (await http.get("/schedules")).text
    job = await app.schedules.run("polling", "a first look")
    page = (await http.get("/schedules")).text
    assert f'by hand <a href="/jobs/{job}">' in page


async def test_a_schedule_that_cannot_run_says_why(http: AsyncClient, app: Holdfast) -> None:
    await app.schedules.add("broken", task="report", cron="0 4 * * *")
    async with app.database.transaction() as conn:
        await conn.execute(
            "select holdfast.check_schedule('broken', (select counts_from from holdfast.schedules), null,"
            " 'the zone Mars/Base is unknown')"
        )
    page = (await http.get("/schedules")).text
    assert "</svg>invalid<" in page
    assert "the zone Mars/Base is unknown" in page
    assert "1 schedule: 1 invalid" in page


async def test_without_a_schedule_the_page_says_how_to_make_one(http: AsyncClient) -> None:
    assert "holdfast schedules add NAME" in (await http.get("/schedules")).text


async def test_only_operators_of_everything_see_actions(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await app.schedules.add("nightly", task="report", cron="0 4 * * *")
    page = (await keyed_http.get("/schedules", headers=await make_key("viewer"))).text
    assert ">nightly</span>" in page
    assert "data-api" not in page
    assert "data-api" in (await keyed_http.get("/schedules", headers=await make_key("operator"))).text
    scoped = await make_key("operator", queues=["mail"])
    assert (await keyed_http.get("/schedules", headers=scoped)).status_code == 403


@pytest.mark.slow
async def test_a_person_adds_changes_pauses_and_runs_a_schedule(tab: Page, app: Holdfast) -> None:
    await tab.goto("/schedules")
    await tab.get_by_role("button", name="Add a schedule…").click()
    dialog = tab.get_by_role("dialog")
    await field(dialog, "name").fill("nightly report")
    await field(dialog, "settings.task").fill("report")
    await field(dialog, "settings.cron").fill("30 2 * * *")
    await dialog.get_by_role("button", name="Add the schedule").click()
    await expect(tab.get_by_text("at 02:30 every day, UTC")).to_be_visible()
    await act(tab, "Change…")
    await expect(field(dialog, "settings.cron")).to_have_value("30 2 * * *")
    await field(dialog, "settings.cron").fill("")
    await field(dialog, "settings.every").fill("15m")
    await field(dialog, "settings.payload").fill('{"region": "north"}')
    await dialog.get_by_role("button", name="Save").click()
    await expect(tab.get_by_text("every 15 min")).to_be_visible()
    await act(tab, "Run now…")
    await dialog.get_by_role("button", name="Make a job now").click()
    await tab.wait_for_url("**/jobs/*")
    (job,) = await app.jobs()
    assert tab.url.endswith(str(job.id))
    assert (job.task, job.payload) == ("report", {"region": "north"})
    await tab.goto("/schedules")
    await act(tab, "Pause…")
    await field(dialog, "reason").fill("holidays")
    await dialog.get_by_role("button", name="Pause the schedule").click()
    await expect(tab.get_by_text(": holidays")).to_be_visible()
    found = await app.schedules.get("nightly report")
    assert (found.cron, found.every, found.payload) == (None, timedelta(minutes=15), {"region": "north"})
    assert (found.state, found.paused_reason, found.missed) == ("paused", "holidays", "last")
    await act(tab, "Resume…")
    await dialog.get_by_role("button", name="Resume the schedule").click()
    await expect(tab.get_by_text(": holidays")).to_have_count(0)
    assert (await app.schedules.get("nightly report")).paused_at is None
    await act(tab, "Remove…")
    await field(dialog, "reason").fill("it is not needed any more")
    await dialog.get_by_role("button", name="Remove the schedule").click()
    await expect(tab.get_by_text("There is no schedule yet")).to_be_visible()
    assert await app.schedules.find() == []


async def act(tab: Page, name: str) -> None:
    await tab.get_by_role("button", name="Actions for nightly report").click()
    await tab.get_by_role("button", name=name, exact=True).click()


def field(dialog: Locator, name: str) -> Locator:
    return dialog.locator(f'[name="{name}"]')
