"""Live pages: what changes appears, one read serves all who watch, and a page survives its server."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from uuid import UUID

import pytest
import uvicorn
from playwright.async_api import Browser, Page, expect
from starlette.types import ASGIApp

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.live import permits, streams
from holdfast.client.app import Holdfast
from holdfast.dashboard import live
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.dashboard.navigation import GROUPS
from holdfast.dashboard.page import Shown, View
from holdfast.dashboard.pages.dead import DeadLetters
from holdfast.db.access_keys import check_watchers, open_session
from holdfast.db.statement import Executor
from holdfast.model.access_key import SecretHash, hash_secret
from tests.api.conftest import MakeKey
from tests.api.event_client import next_of, streaming
from tests.builders import dead_job, ready_jobs
from tests.dashboard.busy import keyless
from tests.patience import PATIENCE

NO_LONGER_THAN = int(PATIENCE * 1000)


async def die(app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="mail", task="send")


@pytest.mark.slow
async def test_what_changes_appears_and_a_paused_page_stays(tab: Page, app: Holdfast) -> None:
    await tab.goto("/dead")
    await expect(tab.get_by_text("No dead letter is open.").first).to_be_visible()
    await die(app)
    await expect(tab.get_by_text("1 dead letter open.")).to_be_visible(timeout=NO_LONGER_THAN)
    assert (await tab.title()).startswith("1 open dead letter")
    await tab.get_by_role("button", name="Pause live updates").click()
    await expect(tab.locator(".live")).to_have_attribute("data-state", "paused")
    other = await tab.context.new_page()
    await other.goto("/dead")
    for words in ("2 dead letters open.", "3 dead letters open."):
        await die(app)
        await expect(other.get_by_text(words)).to_be_visible(timeout=NO_LONGER_THAN)
    # The update with the second was sent to all who follow before that with the third.
    await expect(tab.get_by_text("1 dead letter open.")).to_be_visible()
    assert (await tab.title()).startswith("1 open dead letter")
    await tab.get_by_role("button", name="Resume live updates").click()
    await expect(tab.get_by_text("3 dead letters open.")).to_be_visible(timeout=NO_LONGER_THAN)


@pytest.mark.slow
async def test_keys_lead_through_the_dashboard_and_the_theme_is_remembered(tab: Page, app: Holdfast) -> None:
    await die(app)
    await tab.goto("/")
    await tab.keyboard.press("g")
    await tab.keyboard.press("d")
    await expect(tab.get_by_role("heading", name="Dead letters")).to_be_visible()
    await tab.keyboard.press("j")
    await expect(tab.locator(".groups a:focus")).to_be_visible()
    await tab.keyboard.press("?")
    await expect(tab.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    await tab.keyboard.press("Escape")
    await tab.keyboard.press("/")
    await expect(tab.get_by_role("searchbox")).to_be_focused()
    await tab.get_by_role("button", name="Switch between light and dark").click()
    chosen = await tab.locator("html").get_attribute("data-theme")
    await tab.reload()
    assert await tab.locator("html").get_attribute("data-theme") == chosen


@pytest.mark.slow
async def test_each_g_key_leads_where_the_help_says(tab: Page) -> None:
    await tab.goto("/jobs")
    await tab.keyboard.press("?")
    keys = await tab.locator("dl.keys dt").all_text_contents()
    words = await tab.locator("dl.keys dd").all_text_contents()
    await tab.keyboard.press("Escape")
    said = {key[1]: word for key, word in zip(keys, words, strict=True) if key.startswith("g")}
    assert said == {place.key: place.words for group in GROUPS for place in group.places}
    for key, word in said.items():
        await tab.keyboard.press("g")
        await tab.keyboard.press(key)
        await expect(tab.locator(".nav [aria-current=page]")).to_have_text(word)


@pytest.mark.slow
async def test_keys_choose_rows_also_after_the_mouse_did(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 3)
    await tab.goto("/jobs")
    rows, boxes = tab.locator("tbody tr"), tab.locator("tbody .check")
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        await tab.keyboard.press(key)
        await expect(rows.nth(place).locator("a:focus")).to_have_count(1)
    await tab.keyboard.press("x")
    await expect(boxes.nth(1)).to_be_checked()
    await expect(tab.get_by_role("toolbar")).to_contain_text("1 selected")
    await tab.keyboard.press("x")
    await expect(boxes.nth(1)).not_to_be_checked()
    await boxes.nth(0).click()
    await tab.keyboard.press("j")
    await tab.keyboard.press("x")
    await expect(tab.get_by_role("toolbar")).to_contain_text("2 selected")
    await expect(boxes.nth(1)).to_be_checked()


@asynccontextmanager
async def on_port(api: ASGIApp, port: int) -> AsyncIterator[int]:
    with socket.create_server(("127.0.0.1", port)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(api, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        )
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            await serving


@pytest.mark.slow
async def test_a_page_follows_again_after_its_server_was_restarted(browser: Browser, app: Holdfast) -> None:
    async with keyless(app) as api:
        tab = await browser.new_page()
        async with on_port(api, 0) as port:
            await tab.goto(f"http://127.0.0.1:{port}/dead")
            await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
        await expect(tab.locator(".live")).to_have_attribute("data-state", "reconnecting")
        await die(app)
        async with on_port(api, port):
            await expect(tab.get_by_text("1 dead letter open.")).to_be_visible(timeout=NO_LONGER_THAN)
            await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
            await tab.close()


async def test_fifty_watchers_cost_one_read(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0
    real = DeadLetters.read

    async def counted(self: DeadLetters, view: View) -> Shown:
        nonlocal reads
        reads += 1
        return await real(self, view)

    monkeypatch.setattr(DeadLetters, "read", counted)
    monkeypatch.setattr(live, "PACE", timedelta(minutes=10))
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    key = await make_key("viewer")
    async with AsyncExitStack() as stack:
        watching = [
            await stack.enter_async_context(streaming(api, "/live?page=%2Fdead", key)) for _ in range(50)
        ]
        shown = [(await next_of(one))["html"] for one in watching]
    assert len(set(shown)) == 1
    assert reads == 1


async def test_pages_and_streams_of_the_api_share_the_limit_of_subjects(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_SUBJECTS", 2)
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    key = await make_key("viewer")
    endpoints, dead, overview = "/api/v1/live?watch=endpoints", "/live?page=%2Fdead", "/api/v1/live"
    async with streaming(api, endpoints, key) as one, streaming(api, dead, key) as page:
        await next_of(one)
        await next_of(page)
        for address in (overview, "/live?page=%2Fqueues"):
            async with streaming(api, address, key) as refused:
                assert (await refused.problem())["code"] == "too_many_subjects"
        async with streaming(api, dead, key) as same:
            await next_of(same)
    async with streaming(api, overview, key) as free:
        await next_of(free)


async def test_fifty_sessions_are_checked_by_one_statement(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: asyncio.Queue[int] = asyncio.Queue()

    async def counted(on: Executor, watchers: Sequence[tuple[SecretHash, UUID | None]]) -> set[int]:
        rounds.put_nowait(len(watchers))
        return await check_watchers(on, watchers)

    monkeypatch.setattr(permits, "check_watchers", counted)
    monkeypatch.setattr(permits, "CHECK_EVERY", timedelta(milliseconds=50))
    monkeypatch.setattr(live, "PACE", timedelta(minutes=10))
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    opener = hash_secret((await app.keys.create("viewer", "viewer")).secret)
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE):
        for number in range(50):
            secret = f"hfs_{number}"
            await open_session(app.database, opener, hash_secret(secret), timedelta(hours=1))
            cookie = {"Cookie": f"holdfast_session={secret}", "Sec-Fetch-Site": "same-origin"}
            client = await stack.enter_async_context(streaming(api, "/live?page=%2Fdead", cookie))
            await next_of(client)
        while await rounds.get() < 50:
            pass
        assert [await rounds.get() for _ in range(5)] == [50] * 5


@pytest.mark.slow
async def test_a_page_that_did_not_change_is_not_sent_again(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clock goes on; ages alone are no change, for a while."""
    await die(app)
    monkeypatch.setattr(live, "PACE", timedelta(milliseconds=10))
    monkeypatch.setattr(live, "AGES_EVERY", 1e9)
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    async with streaming(api, "/live?page=%2Fdead", await make_key("viewer")) as client:
        first = await next_of(client)
        assert first["event"] == "page"
        beats = [await next_of(client) for _ in range(2)]
        assert [one["event"] for one in beats] == ["at", "at"]
        assert first["at"] < beats[0]["at"] < beats[1]["at"], "to the second"
        await die(app)
        while (found := await next_of(client))["event"] == "at":
            pass
        assert found["html"] != first["html"]


async def test_a_stream_shows_no_more_than_its_page(app: Holdfast, make_key: MakeKey) -> None:
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    scoped = await make_key("viewer", queues=["mail"])
    async with streaming(api, "/live?page=%2Fworkers", scoped) as client:
        assert (await client.problem())["status"] == 403
    async with streaming(api, "/live?page=%2Fno-such-page", scoped) as client:
        assert (await client.problem())["status"] == 422
    async with streaming(api, "/live?page=%2Fkeys", await make_key("admin")) as client:
        assert (await client.problem())["status"] == 422, "a page that is not live"


async def test_a_stream_ends_when_its_key_is_revoked(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.api.live.permits.CHECK_EVERY", timedelta(milliseconds=10))
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    async with streaming(api, "/live?page=%2Fdead", await make_key("viewer")) as client:
        await next_of(client)
        await app.keys.revoke("viewer")
        while await client.event() is not None:
            pass
