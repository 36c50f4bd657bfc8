"""What operators do with jobs of the list: with those that they select, and with all that match."""

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from urllib.parse import urlencode
from uuid import UUID

import pytest
import pytest_asyncio
from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.api.people.action_worker import acting
from holdfast.client.app import Holdfast
from holdfast.model.dead_letter import Triage
from tests.builders import dead_job, ready_job, ready_jobs, running_job
from tests.dashboard.axe import violations
from tests.patience import PATIENCE

LONG = PATIENCE * 1000


async def test_the_action_on_all_that_match_has_the_filter_of_the_page_at_its_time(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await ready_job(conn, queue="mail", labels={"team": "a\"b'c"}, payload={"id": "7"})
    query = urlencode({"queue": "mail", "label": "team=a\"b'c", "payload": "id:7", "newer_than": "1h"})
    page = (await http.get(f"/jobs?{query}")).text
    (field,) = set(re.findall(r'name="filter" data-as="json" value="([^"]*)"', page))
    wanted = json.loads(html.unescape(field))
    assert wanted.pop("enqueued_after").startswith("20")
    assert wanted == {"queue": "mail", "labels": {"team": "a\"b'c"}, "payload": {"id": "7"}}
    words = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "Cancel 1 live jobs?" in words or "Cancel 1 live job?" in words
    assert "Act on " not in (await http.get("/jobs")).text, "an action needs a filter"


@pytest_asyncio.fixture(loop_scope="session")
async def acts(database_url: str) -> AsyncIterator[None]:
    """The server does bulk actions, as `holdfast serve` does."""
    async with acting(database_url):
        yield


@pytest.mark.slow
async def test_a_person_filters_and_replays_two_jobs_of_a_page(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        dead = [str((await dead_job(conn, queue="mail", task="send")).id) for _ in range(3)]
        await dead_job(conn, queue="other")
    await tab.goto("/jobs")
    await tab.get_by_role("link", name="Dead", exact=True).click()
    await tab.get_by_text("Filter", exact=True).click()
    await tab.get_by_label("Queue", exact=True).fill("mail")
    await tab.get_by_role("button", name="Apply").click()
    await tab.wait_for_url("**/jobs?state=dead&queue=mail")
    await expect(tab.locator("tbody tr")).to_have_count(3)
    for job in dead[:2]:
        await tab.get_by_label(f"Select send {job[-12:]}").check()
    await expect(tab.get_by_role("toolbar")).to_contain_text("2 selected")
    await tab.get_by_role("button", name="Replay…", exact=True).click()
    await tab.get_by_role("textbox", name="Reason").fill("the server works again")
    await tab.get_by_role("button", name="Replay 2 jobs").click()
    await expect(tab.get_by_role("status").filter(has_text="2 replayed")).to_be_visible()
    await expect(tab.locator("tbody tr")).to_have_count(1)
    await expect(tab.get_by_role("toolbar")).to_be_hidden()
    found = await app.database.fetch("select id, state from holdfast.job_view where queue = 'mail'")
    ready = {str(row["id"]) for row in found if row["state"] == "ready"}
    assert ready == set(dead[:2])
    events = await app.database.fetch("select reason from holdfast.events where cause = 'replay'")
    assert {row["reason"] for row in events} == {"the server works again"}


@pytest.mark.slow
async def test_a_person_replays_a_whole_filter_after_a_dry_run_and_sees_it_done(
    tab: Page, app: Holdfast, acts: None
) -> None:
    async with app.database.transaction() as conn:
        for _ in range(3):
            await dead_job(conn, queue="mail", task="send")
        other = await dead_job(conn, queue="other")
    await tab.goto("/jobs?state=dead&queue=mail")
    await tab.get_by_role("button", name="Act on ").click()
    await tab.get_by_role("button", name="Replay open dead jobs…").click()
    dialog = tab.get_by_role("dialog", name="Replay 3 open dead jobs?")
    assert await dialog.get_by_label("Pace").input_value() == "10/s"
    assert await dialog.get_by_label("Canary").input_value() == "1"
    await dialog.get_by_label("Canary").fill("0")
    await dialog.get_by_label("Reason").fill("fixed")
    await dialog.get_by_role("button", name="Dry run").click()
    await expect(dialog.locator(".answer")).to_have_text("3 jobs match", timeout=LONG)
    assert await states(app) == {"dead": 4}, "a dry run changes nothing"
    await dialog.get_by_role("button", name="Replay 3 jobs").click()
    await tab.wait_for_url("**/actions/*")
    await expect(tab.locator(".badge")).to_have_text("Completed", timeout=LONG)
    await expect(tab.locator(".verdict")).to_have_text("3 replayed.")
    assert await states(app) == {"ready": 3, "dead": 1}
    assert await app.job(other.id).status() == "dead"
    await tab.get_by_role("link", name="Show what matches now").click()
    await tab.wait_for_url("**/dead?queue=mail")
    await expect(tab.locator(".nothing")).to_contain_text("No dead letter is open.")


@pytest.mark.slow
async def test_a_person_stops_an_action_under_way(tab: Page, app: Holdfast, acts: None) -> None:
    """It waits for its canary, which no worker runs."""
    async with app.database.transaction() as conn:
        for _ in range(3):
            await dead_job(conn, queue="mail", task="send")
    await tab.goto("/jobs?state=dead&queue=mail")
    await tab.get_by_role("button", name="Act on ").click()
    await tab.get_by_role("button", name="Replay open dead jobs…").click()
    await tab.get_by_role("dialog").get_by_label("Reason").fill("fixed")
    await tab.get_by_role("button", name="Replay 3 jobs").click()
    await tab.wait_for_url("**/actions/*")
    async with asyncio.timeout(PATIENCE):
        while await states(app) != {"ready": 1, "dead": 2}:
            await asyncio.sleep(0.02)
    await tab.get_by_role("button", name="Stop it…").click()
    await expect(tab.get_by_role("dialog", name="Stop this action?")).to_be_visible()
    assert await violations(tab) == []
    await tab.get_by_role("button", name="Stop it", exact=True).click()
    await expect(tab.locator(".badge")).to_have_text("Cancelled", timeout=LONG)
    await expect(tab.get_by_role("button", name="Stop it…")).to_have_count(0)
    assert await states(app) == {"ready": 1, "dead": 2}


async def states(app: Holdfast) -> dict[str, int]:
    found = await app.database.fetch(
        "select state, count(*) as jobs from holdfast.job_view where queue <> 'holdfast' group by state"
    )
    return {row["state"]: row["jobs"] for row in found}


async def test_a_person_cancels_and_ranks_jobs_and_is_told_what_became_of_each(
    tab: Page, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        ready = [UUID(int=one.int) for one in await ready_jobs(conn, 2, queue="mail", task="send")]
        await running_job(conn, queue="busy", task="send")
    await tab.goto("/jobs")
    await tab.get_by_label("Select all 3 jobs on this page").check()
    await tab.get_by_role("button", name="Set priority…").click()
    await tab.get_by_label("Priority 0 to 100").fill("90")
    await tab.get_by_role("textbox", name="Reason").fill("a customer waits")
    await tab.get_by_role("button", name="Set the priority of 3 jobs").click()
    await expect(tab.get_by_role("status").filter(has_text="3 set")).to_be_visible()
    await tab.get_by_label("Select all 3 jobs on this page").check()
    await tab.get_by_role("button", name="Cancel…").click()
    await tab.get_by_role("textbox", name="Reason").fill("wrong list")
    await tab.get_by_role("button", name="Cancel 3 jobs").click()
    await expect(tab.get_by_role("status").filter(has_text="2 cancelled, 1 asked")).to_be_visible()
    found = await app.database.fetch("select id, state, priority from holdfast.job_view where queue = 'mail'")
    assert {(row["id"], row["state"], row["priority"]) for row in found} == {
        (job, "cancelled", 90) for job in ready
    }


async def test_a_replay_of_all_that_match_counts_what_it_replays(http: AsyncClient, app: Holdfast) -> None:
    """That of dead letters, with a canary, leaves out those that were resolved or ignored."""
    async with app.database.transaction() as conn:
        dead = [(await dead_job(conn, queue="mail", labels={"team": "search"})).id for _ in range(3)]
    await app.dead.triage([dead[0]], status=Triage.IGNORED)
    page = (await http.get("/jobs?queue=mail&state=dead")).text
    assert "Replay open dead jobs…" in page
    assert 'Replay <span data-fill="{result.matched}">2</span> open dead jobs?' in page
    assert "Those that were resolved or ignored stay." in page
    labelled = (await http.get("/jobs?queue=mail&state=dead&label=team=search")).text
    assert 'Replay <span data-fill="{result.matched}">3</span> dead jobs?' in labelled
    assert "resolved or ignored" not in labelled
