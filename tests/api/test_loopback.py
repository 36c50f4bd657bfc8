"""Calls without an access key: on loopback only, and never for the page of another site."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.loopback import loopback_key, loopback_link
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access, open_session
from holdfast.model.access_key import AccessAction, hash_secret
from holdfast.model.error import NotAuthenticated

PAGE = "http://localhost:3000"


@pytest.fixture
async def local(app: Holdfast) -> AsyncIterator[AsyncClient]:
    async with loopback_key(app) as key:
        transport = ASGITransport(app=api_app(app, without_keys=key, allow_origins=[PAGE]))
        async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            yield client


async def test_without_a_key_a_call_is_that_of_an_admin_which_ends_with_the_server(app: Holdfast) -> None:
    async with loopback_key(app) as key:
        transport = ASGITransport(app=api_app(app, without_keys=key))
        async with AsyncClient(transport=transport, base_url="http://localhost") as http:
            made = await http.post("/api/v1/jobs", json={"task": "t"})
            wrong = await http.get("/metrics", headers={"Authorization": "Bearer hfk_wrong"})
        assert (made.status_code, wrong.status_code) == (201, 401)
        (valid,) = await app.keys.list()
    assert valid.name.startswith("loopback-")
    job = await app.job(made.json()["id"]).job()
    assert job.claimed_actor == valid.name
    assert await app.keys.list() == []


async def test_a_link_for_the_person_who_started_the_server_opens_an_admins_session_until_it_stops(
    app: Holdfast,
) -> None:
    session = hash_secret("hfs_session")
    async with loopback_link(app) as link:
        await open_session(app.database, hash_secret(link.secret), session, timedelta(hours=1))
        caller = await check_access(app.database, session, AccessAction.MANAGE_KEYS)
        (valid,) = await app.keys.list()
    assert caller.name == valid.name
    assert valid.name.startswith("dashboard-")
    assert await app.keys.list() == []
    with pytest.raises(NotAuthenticated):
        await check_access(app.database, session, AccessAction.MANAGE_KEYS)


async def test_without_a_key_an_action_is_asked_for_read_and_stopped(local: AsyncClient) -> None:
    wanted = {"action": "cancel", "filter": {"queue": "mail"}, "reason": "the campaign was stopped"}
    asked = await local.post("/api/v1/actions", json=wanted)
    assert asked.status_code == 202, asked.text
    path = f"/api/v1/actions/{asked.json()['id']}"
    assert (await local.get(path)).json()["state"] == "ready"
    assert (await local.post(f"{path}/cancel")).json()["result"] == "cancelled"


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"])
async def test_a_loopback_name_is_answered(local: AsyncClient, host: str) -> None:
    assert (await local.get("/metrics", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "192.0.2.1",
    ],
)
@pytest.mark.parametrize("path", ["/metrics", "/livez", "/api/v1/openapi.json"])
async def test_another_name_is_refused_even_if_it_leads_here(
    local: AsyncClient, host: str, path: str
) -> None:
    refused = await local.get(path, headers={"Host": host})
    assert (refused.status_code, refused.json()["code"]) == (403, "host_not_allowed")


@pytest.mark.parametrize(
    "page",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
async def test_the_page_of_another_site_is_refused(local: AsyncClient, page: dict[str, str]) -> None:
    plain = {"Content-Type": "text/plain", **page}  # a browser sends it without asking first
    refused = await local.post("/api/v1/jobs", content='{"task": "t"}', headers=plain)
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_not_allowed")


@pytest.mark.parametrize(
    "page",
    [
        {"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"},
        {"Origin": PAGE, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
async def test_its_own_page_and_an_allowed_one_are_answered(local: AsyncClient, page: dict[str, str]) -> None:
    assert (await local.get("/metrics", headers=page)).status_code == 200
