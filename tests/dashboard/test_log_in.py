"""Log-in with an access key or a link, what a session may do, and log-out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from httpx2 import AsyncClient
from playwright.async_api import Browser, Page, expect

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.dashboard.log_in import own_path
from tests.api.serving import served
from tests.dashboard.axe import violations
from tests.dashboard.conftest import World
from tests.dashboard.samples import SAMPLES

OWN = {"Origin": "http://localhost"}
ACTIONS = "main [data-open], main [data-api], main .check, dialog:not(#keys)"


async def test_a_page_without_a_session_leads_to_the_log_in_and_back(
    keyed_http: AsyncClient, app: Holdfast
) -> None:
    asked = await keyed_http.get("/dead?status=resolved")
    assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Fdead%3Fstatus%3Dresolved")
    key = (await app.keys.create("ada", "viewer")).secret
    opened = await keyed_http.post(
        "/login",
        content=f"key={key}&next=%2Fdead%3Fstatus%3Dresolved",
        headers={**OWN, "Content-Type": "application/x-www-form-urlencoded"},
    )
    assert (opened.status_code, opened.headers["location"]) == (303, "/dead?status=resolved")
    cookie = opened.headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert word in cookie
    assert "Secure" not in cookie, "over plain HTTP the browser would drop it"
    assert key not in cookie
    assert (await keyed_http.get("/dead")).status_code == 200


async def test_over_https_the_cookie_is_secure(keyed_http: AsyncClient, app: Holdfast) -> None:
    key = (await app.keys.create("ada", "viewer")).secret
    opened = await keyed_http.post(
        "https://localhost/login", content=f"key={key}", headers={"Origin": "https://localhost"}
    )
    assert "Secure" in opened.headers["set-cookie"]


async def test_a_wrong_key_is_refused_without_a_word_about_it(keyed_http: AsyncClient) -> None:
    answered = await keyed_http.post("/login", content="key=hfk_wrong&next=/dead", headers=OWN)
    assert answered.status_code == 401
    assert "unknown, expired or revoked" in answered.text
    assert "hfk_wrong" not in answered.text
    assert "set-cookie" not in answered.headers


async def test_a_form_of_another_page_cannot_log_in_or_out(keyed_http: AsyncClient, app: Holdfast) -> None:
    key = (await app.keys.create("ada", "viewer")).secret
    other = {"Origin": "https://evil.example"}
    assert (await keyed_http.post("/login", content=f"key={key}", headers=other)).status_code == 403
    await keyed_http.post("/login", content=f"key={key}", headers=OWN)
    session = dict(keyed_http.cookies)
    for cookies in (session, {}):  # a browser leaves a strict cookie out
        keyed_http.cookies.clear()
        keyed_http.cookies.update(cookies)
        refused = await keyed_http.post("/logout", headers=other)
        assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)
    keyed_http.cookies.update(session)
    assert (await keyed_http.get("/dead")).status_code == 200


async def test_what_is_no_form_or_address_is_answered(keyed_http: AsyncClient) -> None:
    for wanted in ("//[", "//ex℀mple.com"):
        asked = await keyed_http.get("/login", params={"next": wanted})
        assert (asked.status_code, 'name="next" value="/"' in asked.text) == (200, True)
    many = "&".join(f"a{number}=1" for number in range(11))
    assert (await keyed_http.post("/login", content=many, headers=OWN)).status_code == 401
    for path in ("/dead", "/no-such-page", "/login"):
        accepted = {"Host": "[", "Accept": "text/html"}
        assert (await keyed_http.get(path, headers=accepted)).status_code in (200, 303, 404), path


async def test_a_link_on_another_site_opens_the_page_of_a_person_who_is_logged_in(
    strict: Page, app: Holdfast
) -> None:
    tab, key = strict, (await app.keys.create("ada", "admin")).secret
    await tab.goto("/queue/login")
    await tab.get_by_label("Access key").fill(key)
    await tab.get_by_role("button", name="Log in").click()
    await expect(tab.get_by_role("button", name="Log out")).to_be_visible()
    own = tab.url.removesuffix("/")
    await tab.goto(own.replace("127.0.0.1", "localhost") + "/login")
    for address, heading in ((f"{own}/keys", "Access keys"), (f"{own}/dead?status=resolved", "Dead letters")):
        await tab.evaluate("(address) => { location.href = address }", address)
        await expect(tab.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        assert tab.url == address
    await tab.context.clear_cookies()
    await tab.goto(own.replace("127.0.0.1", "localhost") + "/login")
    await tab.evaluate("(address) => { location.href = address }", f"{own}/keys")
    await tab.wait_for_url("**/login?next=*")


async def test_a_link_logs_in_once(keyed_http: AsyncClient, app: Holdfast) -> None:
    await app.keys.create("ada", "viewer")
    link = (await app.keys.login_link("ada")).secret
    looked = await keyed_http.head(f"/login?link={link}")
    asked = await keyed_http.get(f"/login?link={link}&next=/dead")
    for answered in (looked, asked):
        assert (answered.status_code, "set-cookie" in answered.headers) == (200, False)
    assert f'<input type="hidden" name="link" value="{link}">' in asked.text
    assert '<input type="hidden" name="next" value="/dead">' in asked.text
    other = {"Origin": "https://evil.example"}
    assert (await keyed_http.post("/login", content=f"link={link}", headers=other)).status_code == 403
    opened = await keyed_http.post("/login", content=f"link={link}&next=/dead", headers=OWN)
    assert (opened.status_code, opened.headers["location"]) == (303, "/dead")
    assert (await keyed_http.get("/dead")).status_code == 200
    keyed_http.cookies.clear()
    again = await keyed_http.post("/login", content=f"link={link}", headers=OWN)
    assert again.status_code == 401
    assert "used already" in again.text


async def test_a_session_ends_with_log_out_and_with_its_key(keyed_http: AsyncClient, app: Holdfast) -> None:
    key = (await app.keys.create("ada", "viewer")).secret
    await keyed_http.post("/login", content=f"key={key}", headers=OWN)
    stolen = keyed_http.cookies["holdfast_session"]
    assert (await keyed_http.post("/logout", headers=OWN)).status_code == 303
    keyed_http.cookies.set("holdfast_session", stolen)
    assert (await keyed_http.get("/dead")).status_code == 303, "the session is over, not only its cookie"
    keyed_http.cookies.clear()
    await keyed_http.post("/login", content=f"key={key}", headers=OWN)
    await app.keys.revoke("ada")
    assert (await keyed_http.get("/dead")).status_code == 303


async def test_a_role_without_pages_is_told_so(keyed_http: AsyncClient, app: Holdfast) -> None:
    key = (await app.keys.create("crawler", "producer")).secret
    await keyed_http.post("/login", content=f"key={key}", headers=OWN)
    refused = await keyed_http.get("/")
    assert refused.status_code == 403
    assert "Log in with another key" in refused.text


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/login", "", "x\n"],
)
def test_a_log_in_never_leads_to_another_server(wanted: str) -> None:
    assert own_path(wanted) == "/"


def test_a_log_in_leads_to_the_page_that_was_asked_for() -> None:
    assert own_path("/jobs?state=dead&label=a%2Fb") == "/jobs?state=dead&label=a%2Fb"


async def test_no_page_may_be_framed_or_load_from_elsewhere(keyed_http: AsyncClient) -> None:
    policy = (await keyed_http.get("/login")).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest_asyncio.fixture(loop_scope="session")
async def strict(app: Holdfast, browser: Browser) -> AsyncIterator[Page]:
    """A tab that knows the address of a server with access keys and below a path."""
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    api.root_path = "/queue"
    async with served(api) as address:
        tab = await browser.new_page(base_url=address)
        yield tab
        await tab.close()


@pytest.mark.slow
async def test_a_person_logs_in_acts_and_logs_out_below_a_path(strict: Page, app: Holdfast) -> None:
    tab, key = strict, (await app.keys.create("ada", "admin")).secret
    await tab.goto("/queue/keys")
    assert await violations(tab) == []
    await tab.get_by_label("Access key").fill(key)
    await tab.get_by_role("button", name="Log in").click()
    await expect(tab.get_by_role("heading", name="Access keys", exact=True)).to_be_visible()
    await tab.get_by_role("button", name="Create a key…").click()
    await tab.get_by_label("Name").fill("crawler")
    await tab.get_by_label("Role").select_option("producer")
    await tab.get_by_role("button", name="Create the key").click()
    await expect(tab.locator("#secret-text")).to_contain_text("hfk_")
    await expect(tab.get_by_role("row").filter(has_text="crawler")).to_be_visible()
    made = {one.name: one.role for one in await app.keys.list()}
    assert made == {"ada": "admin", "crawler": "producer"}
    await tab.get_by_role("button", name="Log out").click()
    await expect(tab.get_by_role("heading", name="Log in")).to_be_visible()
    await tab.goto("/queue/keys")
    await expect(tab.get_by_role("heading", name="Log in")).to_be_visible()


@asynccontextmanager
async def tab_of(world: World, role: str, queues: list[str] | None = None) -> AsyncIterator[Page]:
    """A tab of a caller with a new key."""
    key = await world.app.keys.create("-".join(["log-in", role, *(queues or ())]), role, queues=queues)
    api = api_app(world.app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    async with served(api) as address:
        headers = {"Authorization": f"Bearer {key.secret}"}
        context = await world.browser.new_context(base_url=address, extra_http_headers=headers)
        yield await context.new_page()
        await context.close()


@pytest.mark.slow
async def test_a_viewer_sees_every_page_but_the_keys_and_no_action(world: World) -> None:
    async with tab_of(world, "viewer") as tab:
        for path, sample in SAMPLES.items():
            answered = await tab.goto(await sample(world.app))
            assert answered is not None
            assert answered.status == (403 if path == "/keys" else 200), path
            assert await tab.locator(ACTIONS).count() == 0, path
            assert await tab.locator(".nav a[href='/keys']").count() == 0, "no page that it may not open"


@pytest.mark.slow
async def test_a_key_for_one_queue_sees_it_alone_and_no_page_of_the_installation(world: World) -> None:
    async with tab_of(world, "operator", ["chat-replies"]) as tab:
        await tab.goto("/")
        places = await tab.locator(".nav li a").all_text_contents()
        assert places == ["Overview", "Jobs", "Queues", "Errors", "Dead letters", "Bulk actions"]
        for place in places:
            await tab.locator(".nav").get_by_role("link", name=place).click()
            await expect(tab.locator(".nav [aria-current=page]")).to_have_text(place)
            await expect(tab.locator(".live:not([data-state=live])")).to_have_count(0)
            words = await tab.locator("main").inner_text()
            for other in ("bill-alerts", "repo-capture", "capture-backfill", "posts", "ollama"):
                assert other not in words, (place, other)
        for path in ("/queues/bill-alerts", "/workers"):
            answered = await tab.goto(path)
            assert answered is not None
            assert answered.status == 403, path
            await expect(tab.get_by_role("link", name="Log in with another key")).to_be_visible()
