"""Runs: what their pages show to whom, and what a person does there."""

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.client.run import progress_of
from holdfast.dashboard.run.verdict import clock_after, clock_style, roughly
from holdfast.db import runs
from holdfast.db.connect import Connection
from holdfast.model.id import RunId
from holdfast.model.run_progress import RunFilter, RunPhase
from holdfast.testing import install_fake_clock
from tests.api.conftest import MakeKey
from tests.builders import an_open_run, cancel, completed_job, dead_job, ready_jobs, running_job
from tests.dashboard.reading import seen
from tests.patience import PATIENCE

NO_LONGER_THAN = int(PATIENCE * 1000)


async def a_run(conn: Connection, name: str, dead: int = 0, **options: object) -> UUID:
    """Sealed: two jobs completed, some died, one runs and three are ready."""
    run = await an_open_run(conn, name, **options)
    for _ in range(2):
        await completed_job(conn, run=run, queue="mail", task="send")
    for _ in range(dead):
        await dead_job(conn, run=run, queue="mail", task="send", message="no such host")
    await running_job(conn, run=run, queue="mail", task="send")
    await ready_jobs(conn, 3, run=run, queue="mail", task="send")
    await conn.execute("select holdfast.seal_run($1)", run)
    return run


async def an_ended_run(conn: Connection, name: str, dead: int = 0, **options: object) -> UUID:
    run = await an_open_run(conn, name, **options)
    for _ in range(dead):
        await dead_job(conn, run=run, queue="other", task="send")
    await completed_job(conn, run=run, queue="other", task="send")
    await conn.execute("select holdfast.seal_run($1)", run)
    await conn.execute("select holdfast.close_runs()")
    return run


async def test_the_list_says_how_far_each_run_is(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        run = await a_run(conn, "nightly", dead=1, budget="5 USD", labels={"team": "search"})
        await an_ended_run(conn, "weekly")
    page = seen((await http.get("/runs")).text)
    assert page.title.startswith("1 run in progress · Runs")
    assert "nightly has 1 dead job of 7." in page.words
    row = page.row("nightly", "Progress")
    assert row["State"] == "running"
    assert row["Progress"] == "3 of 7 ended, 1 dead, 1 running"
    assert re.match(r"about .* left", row["Time"])
    assert re.search(r" to \d", row["Time"]), "an estimate has its spread"
    assert row["Cost"].endswith("of 5.00")
    assert row["Labels"] == "team: search"
    assert page.row("weekly", "Progress")["Time"].startswith("took ")
    assert ("nightly", f"/runs/{run}") in page.links


async def test_a_run_that_ended_with_dead_jobs_is_in_the_verdict(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await an_ended_run(conn, "weekly", dead=2)
    page = seen((await http.get("/runs")).text)
    assert "No run in progress. weekly ended with 2 dead jobs of 3." in page.words
    assert page.row("weekly", "Progress")["State"] == "ended, 2 dead"
    async with app.database.transaction() as conn:
        await (await install_fake_clock(conn)).advance(timedelta(days=2).total_seconds())
    page = seen((await http.get("/runs")).text)
    assert "ended with" not in page.words, "it is no news any more"


async def test_a_run_is_run_again_as_a_whole_only_once_it_has_ended(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        going = await a_run(conn, "nightly")
        ended = await an_ended_run(conn, "weekly")
    page = (await http.get(f"/runs/{going}")).text
    assert "Run all again" not in page, "it would repeat work that others of its jobs still wait for"
    page = (await http.get(f"/runs/{ended}")).text
    assert "Run all again: the 1 job of weekly?" in page


async def test_runs_are_found_by_state_name_and_label(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_run(conn, "Nightly mails", labels={"team": "search"})
        await an_ended_run(conn, "weekly", labels={"team": "mail"}, origin="manual")
    for query, found in (
        ("state=open", "Nightly mails"),
        ("state=ended", "weekly"),
        ("name=nightly+M", "Nightly mails"),
        ("label=team%3Dmail", "weekly"),
        ("origin=manual&state=ended", "weekly"),
    ):
        (table,) = seen((await http.get(f"/runs?{query}")).text).tables
        assert [row[0].startswith(found) for row in table[1:]] == [True], query
    assert "No run matches this filter" in (await http.get("/runs?name=absent")).text
    assert "A label must be NAME=VALUE" in (await http.get("/runs?label=team")).text
    assert (await http.get("/runs?name=%00")).status_code == 200


async def test_runs_come_a_page_at_a_time_and_a_look_has_an_end(
    http: AsyncClient, app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.database.transaction() as conn:
        names = {await an_open_run(conn, f"run {number:02}"): f"run {number:02}" for number in range(30)}
    ids = sorted(names)  # those of one millisecond are in no order
    first = (await http.get("/runs")).text
    assert "25 runs, newest first" in first
    assert f'href="/runs?cursor={ids[5]}"' in first
    assert f">{names[ids[0]]}</a>" in (await http.get(f"/runs?cursor={ids[5]}")).text
    monkeypatch.setattr(runs, "LOOKED_AT", 10)
    page = (await http.get(f"/runs?name={names[ids[3]]}")).text
    assert f"cursor={ids[20]}" in page, "the place to continue from"
    assert "that were looked at match" in page
    wanted = RunFilter(RunPhase.OPEN, names[ids[3]])
    found = await runs.find_runs(app.database, wanted, before=RunId(ids[10]))
    assert [one.id for one in found.items] == [ids[3]]
    assert found.next == ids[0]


async def test_an_empty_list_says_how_to_start_a_run(http: AsyncClient) -> None:
    page = (await http.get("/runs")).text
    assert "No run in progress" in page
    assert "holdfast runs start nightly" in page


async def test_the_page_says_when_a_run_ends_and_what_it_costs(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        run = await a_run(conn, "nightly", dead=1, budget="5 USD", origin="manual", actor="Ada")
    page = seen((await http.get(f"/runs/{run}")).text)
    assert page.title.startswith("42.9 % · nightly")
    assert re.search(
        r"About .* left, .* to .*: 3 of 7 jobs ended, 4 to go\. One of them is dead\.", page.words
    )
    assert "no such host" in page.words
    assert "By run times" not in page.words, "a measured rate says more than a forecast"
    assert "0.00 of 5.00 spent" in page.words
    assert "Actor Ada" in page.words
    assert ("1", f"/jobs?run={run}&state=dead") in page.links
    assert ("3", f"/jobs?run={run}&state=ready") in page.links
    assert (await http.get(f"/runs/{UUID(int=7)}")).status_code == 404


def test_the_clock_time_of_an_end_agrees_with_the_time_left() -> None:
    now = datetime(2026, 3, 17, 14, 14, 50, tzinfo=UTC)
    for seconds, words, at, style in (
        (75, "75 s", "14:16:05", "seconds"),
        (150, "2 min", "14:16:00", "time"),
        (205, "3 min", "14:17:00", "time"),
        (7_500, "2 h 5 min", "16:19:00", "time"),
    ):
        left = timedelta(seconds=seconds)
        assert (roughly(left), f"{clock_after(left, now):%H:%M:%S}", clock_style(left)) == (words, at, style)


async def test_a_run_that_waits_for_its_budget_says_so(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        run = await an_open_run(conn, "dear", budget="1 USD")
        await ready_jobs(conn, 2, run=run, queue="mail", task="send")
        await conn.execute("update holdfast.run_budgets set reached_at = now(), spent = 1.2")
    page = (await http.get(f"/runs/{run}")).text
    assert "It waits for a larger budget." in page
    assert f"holdfast runs raise-budget {run} AMOUNT" in page
    assert "1 run here waits for a larger budget" in (await http.get("/runs")).text


async def test_an_ended_run_says_how_it_ended(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        good = await an_ended_run(conn, "weekly")
        bad = await an_open_run(conn, "bad")
        await dead_job(conn, run=bad, queue="mail", task="send")
        await conn.execute("select holdfast.seal_run($1), holdfast.close_runs()", bad)
    assert "Its only job has completed in" in (await http.get(f"/runs/{good}")).text
    page = (await http.get(f"/runs/{bad}")).text
    assert "1 of 1 job died" in page
    assert "Running longest" not in page


async def test_a_viewer_sees_no_action_and_a_scope_its_own_runs(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        run = await a_run(conn, "nightly", dead=1, actor="Ada")
    viewer, operator = await make_key("viewer"), await make_key("operator")
    assert "data-api" not in (await keyed_http.get(f"/runs/{run}", headers=viewer)).text
    assert "data-api" in (await keyed_http.get(f"/runs/{run}", headers=operator)).text
    scoped = await make_key("operator", queues=["mail"])
    assert (await keyed_http.get("/runs", headers=scoped)).status_code == 403
    assert (await keyed_http.get(f"/runs/{run}", headers=scoped)).status_code == 404, "started elsewhere"
    started = await keyed_http.post(
        "/api/v1/runs",
        headers=scoped,
        json={"name": "own", "jobs": [{"task": "send", "queue": "mail", "payload": {}}]},
    )
    page = (await keyed_http.get(f"/runs/{started.json()['run']}", headers=scoped)).text
    assert "<dt>Login</dt>" not in page
    assert 'href="/runs"' not in page
    assert f"POST /runs/{started.json()['run']}/cancel" in page


@pytest.mark.slow
async def test_a_person_replays_and_cancels_a_run_and_sees_it_happen(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        run = RunId(await a_run(conn, "nightly", dead=2))
    await tab.goto("/runs")
    await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
    await tab.get_by_role("link", name="nightly").click()
    await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
    await tab.get_by_role("button", name="Replay dead jobs…").click()
    dialog = tab.get_by_role("dialog")
    await expect(dialog.get_by_role("heading")).to_have_text("Replay 2 dead jobs of nightly?")
    await dialog.get_by_label("Reason").fill("the host is back")
    await dialog.get_by_role("button", name="Replay 2 jobs").click()
    await expect(tab.get_by_role("status").filter(has_text="Replayed 2")).to_be_visible()
    assert (await progress_of(app.database, run)).ready == 5
    await expect(tab.get_by_role("button", name="Replay dead jobs…")).to_have_count(0)
    async with app.database.transaction() as conn:
        for job in await conn.fetch("select id from holdfast.job_view where state = 'ready' limit 2"):
            await cancel(conn, job["id"])
    await expect(tab.get_by_text("4 of 8 jobs ended, 4 to go.")).to_be_visible(timeout=NO_LONGER_THAN)
    await tab.get_by_role("button", name="Cancel run…").click()
    await dialog.get_by_label("Reason").fill("wrong list")
    await dialog.get_by_role("button", name="Cancel 4 jobs").click()
    await expect(tab.get_by_role("status").filter(has_text="Cancelled or asked to stop: 4")).to_be_visible()
    left = await progress_of(app.database, run)
    assert (left.ready, left.running, left.cancelled) == (0, 1, 5)
    event = (await app.audit.find(1, cause="replay_run"))[0]
    assert event.reason == "the host is back"
