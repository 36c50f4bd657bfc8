"""Dead letters: groups of one cause, what a caller sees of them, and what a person does about them."""

import html
import re
from datetime import UTC, timedelta
from typing import Any

from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.testing.clock import install_fake_clock
from tests.api.conftest import MakeKey
from tests.builders import completed_job, dead_job, fail, running_job


async def dead_jobs(app: Holdfast, count: int, **more: Any) -> list[str]:
    async with app.database.transaction() as conn:
        return [str((await dead_job(conn, **more)).id) for _ in range(count)]


async def test_letters_of_one_cause_are_one_group_with_its_figures(http: AsyncClient, app: Holdfast) -> None:
    await dead_jobs(app, 3, queue="mail", task="send")
    page = (await http.get("/dead")).text
    assert "3 dead letters open." in page
    assert "Replay 3 jobs" in page
    assert "<title>3 open dead letters · Dead letters · Holdfast</title>" in page


async def test_evidence_stands_before_the_replay(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        for _ in range(21):
            job = await running_job(conn, queue="mail", task="send")
            await fail(conn, job, error_class="permanent", place="mail.py:3 in send")
    page = (await http.get("/dead")).text
    assert page.index("mail.py:3 in send") < page.index("Replay 21 jobs"), "the place, then the action"
    assert "Replay after a fix: a permanent error is not retried." in page
    assert "No other job of the task has completed since." in page
    assert "20 of 21." in page
    assert "<dt>Queues</dt><dd>mail 21</dd>" in page
    assert "0 in the hour before" in page, "a trend"
    assert "Set the status of 21 dead letters?" in page
    async with app.database.transaction() as conn:
        await completed_job(conn, queue="mail", task="send")
    assert "Other jobs of the task completed since: " in (await http.get("/dead")).text


async def test_without_dead_letters_the_page_says_so(http: AsyncClient) -> None:
    page = (await http.get("/dead")).text
    assert "No dead letter is open." in page
    assert "holdfast dead list" in page


async def test_a_viewer_sees_no_action(keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast) -> None:
    await dead_jobs(app, 1, queue="mail", task="send")
    page = (await keyed_http.get("/dead", headers=await make_key("viewer"))).text
    assert "1 dead letter open." in page
    assert "data-api" not in page
    assert "data-api" in (await keyed_http.get("/dead", headers=await make_key("operator"))).text


async def test_a_key_for_one_queue_sees_its_letters_only(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await dead_jobs(app, 1, queue="mail", task="send")
    await dead_jobs(app, 2, queue="secret", task="hidden_task")
    key = await make_key("operator", queues=["mail"])
    for address in ("/dead", "/dead?queue=secret"):
        page = (await keyed_http.get(address, headers=key)).text
        assert "hidden_task" not in page, address
        assert "1 dead letter open." in page, address


async def test_a_key_with_a_scope_learns_no_names_of_people(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    (job,) = await dead_jobs(app, 1, queue="mail", task="send")
    ada, scoped = await make_key("operator"), await make_key("operator", queues=["mail"])
    change = {"jobs": [job], "note": "looks like the relay", "assignee": "grace"}
    assert (await keyed_http.post("/api/v1/dead/triage", json=change, headers=ada)).status_code == 200
    for path in ("/dead", f"/jobs/{job}", f"/api/v1/dead/{job}", "/api/v1/dead"):
        for_all = (await keyed_http.get(path, headers=ada)).text
        for_some = (await keyed_http.get(path, headers=scoped)).text
        assert "grace" in for_all, path
        assert "grace" not in for_some, path
        assert ("looks like the relay" in for_all) == ("looks like the relay" in for_some), path
    page = (await keyed_http.get("/dead", headers=scoped)).text
    assert "no name" not in page
    assert '<span class="faint small">operator, ' not in page


async def test_a_person_assigns_a_group_and_writes_a_note(tab: Page, app: Holdfast) -> None:
    (job,) = await dead_jobs(app, 1, queue="mail", task="send")
    await tab.goto("/dead")
    await tab.get_by_role("button", name="Resolve or assign…").click()
    await tab.get_by_role("combobox", name="Status").select_option("investigating")
    await tab.get_by_label("Assignee").fill("ada")
    await tab.get_by_role("button", name="Set the status").click()
    await expect(tab.get_by_role("status").filter(has_text="Changed 1")).to_be_visible()
    await tab.goto("/dead?status=investigating")
    await tab.get_by_role("button", name="Add a note…").click()
    await tab.get_by_label("Note", exact=True).fill("the server was down")
    await tab.get_by_role("button", name="Add the note").click()
    await expect(tab.locator(".notes")).to_contain_text("the server was down")
    sheet = await app.dead.show(job)
    assert (sheet.letter.status, sheet.letter.assignee) == ("investigating", "ada")
    assert [note.note for note in sheet.notes] == ["the server was down"]


async def test_dead_jobs_of_one_cause_link_to_their_group(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        for _ in range(2):
            await dead_job(conn, queue="mail", task="send")
    page = (await http.get("/jobs?state=dead&queue=mail")).text
    assert "All of these died of one cause" in page
    (group,) = re.findall(r'href="(/dead[^"]*group=[^"]*)"', page)
    assert "2 dead letters" in (await http.get(html.unescape(group))).text
    async with app.database.transaction() as conn:
        job = await running_job(conn, queue="mail", task="other")
        await fail(conn, job, error_class="permanent", type="OSError", message="no such file")
    assert "died of one cause" not in (await http.get("/jobs?state=dead&queue=mail")).text


async def test_an_old_group_says_its_day(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        now = await clock.now()
        await clock.set(died := now - timedelta(hours=26))
        await conn.execute("select holdfast.make_partitions()")
        await dead_job(conn, queue="mail")
        await clock.set(now)
    page = (await http.get("/dead")).text
    assert page.count(f'data-clock="short">{died.astimezone(UTC):%m-%d %H:%M}<') == 2, "first and last seen"
