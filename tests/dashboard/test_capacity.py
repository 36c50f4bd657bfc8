"""Endpoints and workers: what people see of them, and change."""

import re

from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.db import endpoints
from holdfast.db.worker import renew_lease
from holdfast.db.worker_list import list_workers
from holdfast.model.id import WorkerId
from tests.api.conftest import MakeKey
from tests.builders import a_queue, a_worker, claim, fail, ready_jobs
from tests.dashboard.reading import seen


async def test_a_circuit_that_is_not_closed_comes_first(http: AsyncClient, app: Holdfast) -> None:
    await endpoints.declare_endpoint(app.database, "llama", {"max": 3})
    await endpoints.declare_endpoint(app.database, "qwen", {"max": 40})
    assert "2 endpoints admit calls" in (await http.get("/endpoints")).text
    await endpoints.open_endpoint(app.database, "llama", "maintenance", "ada")
    page = (await http.get("/endpoints")).text
    assert "<title>Calls to 1 endpoint are stopped · Endpoints · Holdfast</title>" in page
    row = seen(page).row("llama", "Circuit")
    assert row["Circuit"] == "on hold"
    assert seen(page).row("qwen", "Circuit")["Circuit"] == "calls pass"
    assert 'title="an operator stopped all calls: circuit held open"' in page
    assert "An operator stopped all calls." in (await http.get("/endpoints/llama")).text


async def test_an_endpoint_that_holds_jobs_up_is_the_verdict(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await endpoints.declare_endpoint(conn, "llama", {"max": 1, "mode": "fixed"})
        await a_queue(conn, "chat", endpoint="llama")
        await ready_jobs(conn, 3, queue="chat")
        assert len(await claim(conn, await a_worker(conn, ["chat"]), 3)) == 1
    page = seen((await http.get("/endpoints")).text)
    assert page.title.startswith("llama is full: 1 of 1; 2 jobs wait · Endpoints")
    assert page.row("llama", "Ready jobs")["Ready jobs"] == "2"
    one = seen((await http.get("/endpoints/llama")).text)
    assert "It is full: 1 of 1; 2 jobs wait." in one.words
    assert "llama Calls pass" in one.words
    assert one.row("chat", "Ready jobs") == {
        "Queue": "chat",
        "Ready jobs": "2",
        "State": "waits for a permit",
    }
    assert ("2", "/jobs?state=ready&queue=chat") in one.links
    async with app.database.transaction() as conn:
        await conn.execute("select holdfast.pause_queue('chat', 'maintenance', 'ada')")
    paused = seen((await http.get("/endpoints")).text)
    assert "1 endpoint admits calls" in paused.words, "jobs of a paused queue wait for something else"


async def test_calls_by_outcome_add_up(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await endpoints.declare_endpoint(conn, "llama", {"max": 8, "mode": "fixed"})
        await a_queue(conn, "chat", endpoint="llama")
        await ready_jobs(conn, 3, queue="chat")
        worker = await a_worker(conn, ["chat"])
        for evidence, job in zip(("bad", "none", "none"), await claim(conn, worker, 3), strict=True):
            await fail(conn, job, error_class="transient", evidence=evidence)
    row = seen((await http.get("/endpoints")).text).row("llama", "Calls")
    assert [row[name] for name in ("Calls", "Failed", "429s", "Other")] == ["3", "1", "0", "2"]
    one = seen((await http.get("/endpoints/llama")).text)
    assert "Calls ended 3 in 1 h: 0 good, 2 ended on the job's side" in one.words
    assert "Failed 1 100 % of answers" in one.words


async def test_pages_of_the_installation_need_a_key_for_all_queues(
    keyed_http: AsyncClient, make_key: MakeKey
) -> None:
    scoped = await make_key("operator", queues=["mail"])
    for path in ("/endpoints", "/endpoints/llama", "/workers"):
        assert (await keyed_http.get(path, headers=scoped)).status_code == 403, path
    overview = (await keyed_http.get("/", headers=scoped)).text
    assert 'href="/workers"' not in overview, "the navigation shows no page that the key may not open"


async def test_a_viewer_cannot_change_an_endpoint_or_drain(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await endpoints.declare_endpoint(app.database, "llama", {"max": 3})
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"], group="gpu")
    viewer, operator = await make_key("viewer"), await make_key("operator")
    for path in ("/endpoints/llama", "/workers"):
        assert "data-api" not in (await keyed_http.get(path, headers=viewer)).text, path
        assert "data-api" in (await keyed_http.get(path, headers=operator)).text, path


async def test_what_is_not_there_has_a_page_that_says_so(http: AsyncClient) -> None:
    missing = await http.get("/endpoints/nothing")
    assert missing.status_code == 404
    assert "nothing" in missing.text
    assert (await http.get("/workers/no-id")).status_code == 422
    unknown = await http.get("/no-such-page", headers={"Accept": "text/html"})
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    program = await http.get("/no-such-page")
    assert program.headers["content-type"] == "application/problem+json"


async def test_more_workers_are_not_recommended_than_the_endpoint_admits(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await endpoints.declare_endpoint(conn, "llama", {"max": 2, "mode": "fixed"})
        for name in ("chat", "paused"):
            await a_queue(conn, name, endpoint="llama")
            await ready_jobs(conn, 600, queue=name)
        await conn.execute("select holdfast.pause_queue('paused', 'maintenance', 'ada')")
        await a_worker(conn, ["chat"], slots=1, group="gpu")
        idle = await a_worker(conn, ["chat"], slots=1)
    assert (
        "None. A job that another worker took later is listed there."
        in (await http.get(f"/workers/{idle}")).text
    )
    assert "More workers do not help: llama admits 2." in seen((await http.get("/queues/chat")).text).words
    page = seen((await http.get("/workers")).text)
    row = page.row("chat", "For this queue alone")
    assert row["Queue"] == "chat more workers do not help: llama admits 2"
    assert (row["For this queue alone"], row["Slots now"]) == ("enough", "2")
    assert "do not add the rows" in page.words
    assert not any(cells[0].startswith("paused") for table in page.tables for cells in table)
    assert page.row("here", "Slots in use")["State"] == "idle"
    assert "<option>gpu</option>" in (await http.get("/workers")).text
    assert "<option></option>" not in (await http.get("/workers")).text


async def test_a_queue_without_a_worker_is_the_verdict_on_the_workers(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await a_worker(conn, ["chat"])
        await ready_jobs(conn, 1, queue="chat")
    assert "1 live worker , 0 of 10 slots in use." in seen((await http.get("/workers")).text).words
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 1, queue="mail")
    page = (await http.get("/workers")).text
    words = "1 queue with ready jobs has no worker: mail. 1 live worker, 0 of 10 slots in use."
    assert words in seen(page).words
    assert '<p class="verdict told is-attention"' in page


async def test_a_worker_shows_the_jobs_it_runs_and_ran(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 2, queue="chat", task="reply")
        worker = await a_worker(conn, ["chat"])
        first, second = await claim(conn, worker, 2)
        await fail(conn, first, error_class="permanent")
    page = seen((await http.get(f"/workers/{worker}")).text)
    assert "1 of 10 slots in use" in page.words
    row = seen((await http.get("/workers")).text).row("here", "Slots in use")
    assert (row["State"], row["Slots in use"]) == ("working", "1 of 10"), "before the next heartbeat too"
    assert re.search(r"if silent until .*?, others take its jobs", page.words)
    assert "Life span" not in page.words
    assert {f"/jobs/{first.id}", f"/jobs/{second.id}"} <= set(page.addresses())
    running, latest = page.tables
    assert [" ".join(row[1].split()) for row in (running[1], *latest[1:])] == ["running", "dead"]
    assert [row[0].strip() for row in running[2:]] == ["9 free slots", *[""] * 8], "the place of nine jobs"


async def test_a_worker_shows_what_its_process_uses_once_it_has_reported_it(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        worker = await a_worker(conn, ["chat"])
    assert (
        "Memory not reported CPU not reported Loop lag not reported"
        in seen((await http.get(f"/workers/{worker}")).text).words
    )
    await renew_lease(app.database, WorkerId(worker), {"memory": 512_000_000, "cpu": 0.5, "loop_lag": 0.25})
    words = seen((await http.get(f"/workers/{worker}")).text).words
    assert "Memory 512 MB CPU 0.50 cores Loop lag 250 ms at most" in words


async def test_an_operator_changes_a_limit_stops_calls_and_lets_them_pass(tab: Page, app: Holdfast) -> None:
    await endpoints.declare_endpoint(app.database, "llama", {"max": 3})
    await tab.goto("/endpoints/llama")
    await tab.get_by_role("button", name="Change limits…").click()
    await tab.get_by_label("Most calls at a time").fill("12")
    await tab.locator("#settings").get_by_label("Reason").fill("a second server")
    await tab.get_by_role("button", name="Change the limits").click()
    await expect(tab.get_by_role("status").filter(has_text="Changed llama")).to_be_visible()
    await tab.get_by_role("button", name="Stop all calls…").click()
    await tab.locator("#open").get_by_label("Reason").fill("maintenance")
    await tab.get_by_role("button", name="Stop all calls", exact=True).click()
    await expect(tab.get_by_text("An operator stopped all calls.")).to_be_visible()
    found = await endpoints.get_endpoint(app.database, "llama")
    assert (found.max, found.circuit) == (12, "held_open")
    event = (await app.audit.find(1, cause="set_endpoint"))[0]
    assert event.reason == "a second server"
    await tab.get_by_role("button", name="Let calls pass…").click()
    await tab.locator("#close").get_by_label("Reason").fill("it is back")
    await tab.get_by_role("button", name="Let calls pass", exact=True).click()
    await expect(tab.get_by_text("It admits up to ")).to_be_visible()
    assert (await endpoints.get_endpoint(app.database, "llama")).circuit == "closed"


async def test_an_operator_drains_a_group_and_a_worker(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        grouped = [await a_worker(conn, ["mail"], group="gpu") for _ in range(2)]
        single, other = [await a_worker(conn, ["mail"], group=name) for name in ("cpu", "edge")]
    await tab.goto("/workers")
    await tab.get_by_role("button", name="Drain a group…").click()
    await tab.get_by_role("combobox", name="Group").select_option("gpu")
    await tab.get_by_label("Reason").fill("a new image")
    await tab.get_by_role("button", name="Drain the group").click()
    await expect(tab.get_by_role("status").filter(has_text="Asked to drain")).to_be_visible()
    await tab.goto(f"/workers/{single}")
    await tab.get_by_role("button", name="Drain…").click()
    await tab.get_by_label("Reason").fill("a new image")
    await tab.get_by_role("button", name="Drain the worker").click()
    await expect(tab.get_by_text("An operator asked it to finish and exit.")).to_be_visible()
    await expect(tab.get_by_role("button", name="Drain…")).to_have_count(0)
    found = {one.id: one.drain_asked for one in await list_workers(app.database)}
    assert found == {**dict.fromkeys((*grouped, single), True), other: False}
