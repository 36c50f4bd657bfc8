"""Sessions: a cookie is accepted like the key that opened it, from the server's own pages only."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import ASGITransport, AsyncClient
from httpx2 import Response as Answer
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.app import Served, api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast

OWN = {"Origin": "http://api"}
JOBS, LOGIN, LOGOUT = "/api/v1/jobs", "/login", "/logout"
HOUR = 1 / 3600  # per second
OTHER_PAGES = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://api:9999"},
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "http://api", "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


def served_with_log_in(app: Holdfast, limits: Limits) -> FastAPI:
    """The API, and routes that log in with the secret in the body, and out."""
    return api_app(app, limits=limits, message_routes=True, add_pages=add_log_in)


def add_log_in(api: FastAPI, served: Served) -> None:
    async def log_in(request: Request) -> Response:
        secret = (await request.body()).decode()
        response = Response()
        await served.access.log_in(request, response, secret)
        return response

    async def log_out(request: Request) -> Response:
        response = Response()
        await served.access.log_out(request, response)
        return response

    api.add_api_route(LOGIN, log_in, methods=["GET", "POST"])
    api.add_api_route(LOGOUT, log_out, methods=["POST"])


@pytest.fixture
async def secret(app: Holdfast) -> str:
    return (await app.keys.create("ops", "admin")).secret


@pytest.fixture
async def http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    """As a browser, which keeps cookies."""
    transport = ASGITransport(app=served_with_log_in(app, Limits(failed_log_ins=0)))
    async with AsyncClient(transport=transport, base_url="http://api") as client:
        yield client


@pytest.fixture
async def browser(http: AsyncClient, secret: str) -> AsyncClient:
    """Logged in."""
    assert (await log_in(http, secret)).status_code == 200
    return http


async def log_in(http: AsyncClient, secret: str, headers: dict[str, str] = OWN) -> Answer:
    return await http.post(LOGIN, content=secret, headers=headers)


async def enqueue(http: AsyncClient, headers: dict[str, str]) -> Answer:
    return await http.post(JOBS, json={"task": "t"}, headers=headers)


def said(answer: Answer) -> tuple[int, Any]:
    return answer.status_code, answer.json()["code"]


async def test_a_log_in_gives_a_cookie_that_acts_as_the_key(
    http: AsyncClient, app: Holdfast, secret: str
) -> None:
    made = await log_in(http, secret)
    cookie = {part.strip().lower() for part in made.headers["set-cookie"].split(";")[1:]}
    assert cookie == {"httponly", "samesite=strict", "path=/", "max-age=43200"}
    assert secret not in made.headers["set-cookie"]
    assert (await http.get("/metrics")).status_code == 200
    assert (await http.get(JOBS)).status_code == 200
    stored = await enqueue(http, OWN)
    assert stored.status_code == 201
    assert (await app.job(stored.json()["id"]).job()).claimed_actor == "ops"


@pytest.mark.parametrize(("root", "path"), [("", "/"), ("/queue", "/queue")])
async def test_over_https_the_cookie_is_secure_and_it_keeps_to_the_root_path(
    app: Holdfast, secret: str, root: str, path: str
) -> None:
    transport = ASGITransport(app=served_with_log_in(app, Limits()), root_path=root)
    async with AsyncClient(transport=transport, base_url=f"https://api{root}") as http:
        made = await log_in(http, secret, {"Origin": "https://api"})
        parts = {part.strip().lower() for part in made.headers["set-cookie"].split(";")}
        assert {"secure", f"path={path}"} <= parts
        assert (await http.get("/metrics")).status_code == 200


async def test_a_write_from_another_page_is_refused(browser: AsyncClient) -> None:
    for page in (*OTHER_PAGES, {"Sec-Fetch-Site": "none"}, {}):
        assert said(await enqueue(browser, page)) == (403, "origin_not_allowed"), page


async def test_a_write_from_its_own_page_is_taken(browser: AsyncClient) -> None:
    same = {"Sec-Fetch-Site": "same-origin"}
    for page in (OWN, {"Origin": "https://api"}, same, OWN | same):
        assert (await enqueue(browser, page)).status_code == 201, page


async def test_a_read_of_the_api_from_another_page_is_refused(browser: AsyncClient) -> None:
    for page in OTHER_PAGES:
        assert said(await browser.get(JOBS, headers=page)) == (403, "origin_not_allowed"), page


async def test_a_read_of_the_api_by_a_person_or_its_own_page_is_answered(browser: AsyncClient) -> None:
    for page in ({}, OWN, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}):
        assert (await browser.get(JOBS, headers=page)).status_code == 200, page


async def test_a_page_may_be_opened_by_a_link_from_elsewhere(browser: AsyncClient) -> None:
    opened = await browser.get("/metrics", headers={"Sec-Fetch-Site": "cross-site"})
    assert opened.status_code == 200


async def test_a_key_in_the_header_comes_before_the_cookie(browser: AsyncClient, secret: str) -> None:
    key, wrong = {"Authorization": f"Bearer {secret}"}, {"Authorization": "Bearer hfk_wrong"}
    assert (await enqueue(browser, wrong | OWN)).status_code == 401
    assert (await enqueue(browser, key)).status_code == 201, "a program has no origin"
    browser.cookies.set("holdfast_session", "hfs_wrong")
    assert (await enqueue(browser, key)).status_code == 201


async def test_a_session_ends_when_its_time_is_over(browser: AsyncClient, app: Holdfast) -> None:
    await app.database.execute("update holdfast.access_secrets set expires_at = now() where kind = 'session'")
    assert (await browser.get(JOBS)).status_code == 401


async def test_a_session_ends_with_the_revocation_of_its_key(browser: AsyncClient, app: Holdfast) -> None:
    await app.keys.revoke("ops")
    assert (await browser.get(JOBS)).status_code == 401


async def test_a_session_ends_with_the_overlap_of_a_rotation(browser: AsyncClient, app: Holdfast) -> None:
    await app.keys.rotate("ops", overlap="1h")
    assert (await browser.get(JOBS)).status_code == 200
    await app.keys.rotate("ops", overlap="0s")
    assert (await browser.get(JOBS)).status_code == 401


async def test_a_link_logs_in_once(http: AsyncClient, app: Holdfast, secret: str) -> None:
    link = await app.keys.login_link("ops", reason="to look at it")
    for header in ({"Authorization": f"Bearer {link.secret}"}, {"Cookie": f"holdfast_session={link.secret}"}):
        assert (await http.get(JOBS, headers=header)).status_code == 401, "it is no key"
    assert said(await http.request("GET", LOGIN, content=link.secret)) == (403, "origin_not_allowed")
    assert (await log_in(http, link.secret)).status_code == 200
    assert (await http.get(JOBS)).status_code == 200
    assert said(await log_in(http, link.secret)) == (401, "not_authenticated")
    assert (await http.get(JOBS)).status_code == 200, "the first session goes on"


async def test_a_link_that_has_expired_opens_no_session(
    http: AsyncClient, app: Holdfast, secret: str
) -> None:
    link = await app.keys.login_link("ops")
    await app.database.execute("update holdfast.access_secrets set expires_at = now() where kind = 'link'")
    assert (await log_in(http, link.secret)).status_code == 401


async def test_a_log_out_closes_this_session_only(browser: AsyncClient, app: Holdfast, secret: str) -> None:
    first = browser.cookies["holdfast_session"]
    await log_in(browser, secret)
    for cookie in ({}, {"Cookie": ""}):  # a browser leaves a strict cookie out
        refused = await browser.post(LOGOUT, headers=OTHER_PAGES[0] | cookie)
        assert said(refused) == (403, "origin_not_allowed")
        assert "set-cookie" not in refused.headers
    left = await browser.post(LOGOUT, headers=OWN)
    assert left.status_code == 200
    assert 'holdfast_session=""' in left.headers["set-cookie"]
    assert "Max-Age=0" in left.headers["set-cookie"]
    assert "holdfast_session" not in browser.cookies
    assert (await browser.get(JOBS, headers={"Cookie": f"holdfast_session={first}"})).status_code == 200
    kinds = await app.database.fetch("select kind from holdfast.access_secrets order by kind")
    assert [row["kind"] for row in kinds] == ["key", "session"]


async def test_a_log_out_without_a_session_does_nothing(http: AsyncClient) -> None:
    for cookie in ({}, {"Cookie": "holdfast_session=hfs_wrong"}):
        assert (await http.post(LOGOUT, headers={**OWN, **cookie})).status_code == 200


async def test_a_log_in_form_of_another_page_is_refused(http: AsyncClient, secret: str) -> None:
    """It would log a person in with the attacker's key."""
    for page in OTHER_PAGES:
        assert said(await log_in(http, secret, page)) == (403, "origin_not_allowed"), page


async def test_the_message_routes_accept_no_session(browser: AsyncClient, secret: str) -> None:
    """They take a body of any content type, and pages of the origins that --allow-origin names."""
    health, event = "/.netlify/functions/queue-health-check", "/.netlify/functions/queue-event"
    reads = ("/api/queue/pending", "/api/queue/stats", health)
    writes = ("/api/queue/claim", "/api/queue/complete", "/api/queue/fail", event)
    key = {"Authorization": f"Bearer {secret}"}
    for path in reads:
        assert (await browser.get(path, headers=OWN)).status_code == 401, path
        assert (await browser.get(path, headers=key)).status_code == 200, path
    for path in writes:
        body = {"messageId": "m", "eventName": "e", "data": {}}
        assert (await browser.post(path, json=body, headers=OWN)).status_code == 401, path
        assert (await browser.post(path, json=body, headers=key)).status_code != 401, path


async def test_log_ins_that_fail_are_bounded_however_they_are_tried(app: Holdfast, secret: str) -> None:
    transport = ASGITransport(app=served_with_log_in(app, Limits(failed_log_ins=HOUR)))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        assert (await log_in(http, secret)).status_code == 200, "gives its token back"
        assert (await log_in(http, "hfk_wrong")).status_code == 401
        assert said(await log_in(http, "hfk_other")) == (429, "too_many_log_ins")
        wrong = {"Cookie": "holdfast_session=hfs_other"}
        assert said(await http.get(JOBS, headers=wrong)) == (429, "too_many_log_ins")
        assert (await http.get(JOBS)).status_code == 200, "the session goes on"


async def test_a_cookie_that_no_session_could_have_is_refused(http: AsyncClient) -> None:
    for cookie in (b"x" * 5000, b'"', b"%00", b"hfs_\xff"):
        found = await http.get(JOBS, headers={b"Cookie": b"holdfast_session=" + cookie})
        assert found.status_code == 401, cookie


async def test_two_servers_on_one_host_keep_their_sessions_apart(app: Holdfast, secret: str) -> None:
    transport = ASGITransport(app=served_with_log_in(app, Limits()))
    async with AsyncClient(transport=transport) as browser:  # which sends its cookies to all ports
        for port in (8001, 8002):
            made = await browser.post(
                f"http://api:{port}{LOGIN}", content=secret, headers={"Origin": f"http://api:{port}"}
            )
            assert made.headers["set-cookie"].startswith(f"holdfast_session_{port}=")
        out = await browser.post(f"http://api:8002{LOGOUT}", headers={"Origin": "http://api:8002"})
        assert out.status_code == 200
        assert (await browser.get(f"http://api:8001{JOBS}")).status_code == 200
        assert (await browser.get(f"http://api:8002{JOBS}")).status_code == 401
