"""Probes, metrics and health: what they answer, and what they keep to themselves."""

import asyncio
from dataclasses import fields
from unittest.mock import AsyncMock
from uuid import UUID

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api import health
from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.client.doctor_checks import CHECKS, Finding
from holdfast.telemetry.prometheus_text import CONTENT_TYPE
from tests.api.conftest import MakeKey


async def test_a_server_with_its_database_is_ready(http: AsyncClient) -> None:
    assert (await http.get("/livez")).json() == {"status": "ok"}
    assert (await http.get("/readyz")).json() == {"status": "ok", "failing": []}


async def test_a_failing_check_is_named_and_not_explained(app: Holdfast) -> None:
    async def broken() -> None:
        raise RuntimeError("the password is wonderland")

    transport = ASGITransport(app=api_app(app, checks={"maintenance": broken}))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        answered = await http.get("/readyz")
        assert answered.status_code == 503
        assert answered.json() == {"status": "unavailable", "failing": ["maintenance"]}


@pytest.mark.slow
async def test_however_many_probe_one_look_at_the_database_is_for_all(
    http: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = AsyncMock()
    monkeypatch.setattr(health, "require_schema", look)
    for _ in range(2):
        found = await asyncio.gather(*(http.get("/readyz") for _ in range(20)))
        assert {one.status_code for one in found} == {200}
    assert look.await_count <= 2, "the second round may come after a second"


async def test_a_request_waits_for_a_database_connection_only_so_long(
    database_url: str, make_key: MakeKey
) -> None:
    key = await make_key("viewer")
    async with Holdfast(database_url, pool_size=1, pool_wait="10ms") as app:
        transport = ASGITransport(app=api_app(app))
        async with AsyncClient(transport=transport, base_url="http://api") as http, app.database.connection():
            answered = await http.get("/metrics", headers=key)
    assert (answered.status_code, answered.json()["code"]) == (503, "database_busy")
    assert answered.headers["Retry-After"].isdecimal()


async def test_without_a_database_the_server_lives_is_not_ready_and_says_nothing_of_its_address() -> None:
    secret = "wonderland"
    app = Holdfast(f"postgresql://nobody:{secret}@127.0.0.1:1/none")
    transport = ASGITransport(app=api_app(app))
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        assert (await http.get("/livez")).status_code == 200
        assert (await http.get("/readyz")).json()["failing"] == ["database"]
        answered = await http.get("/metrics", headers={"Authorization": "Bearer x"})
        assert (answered.status_code, answered.json()["code"]) == (503, "database_unavailable")
        assert answered.headers["Retry-After"].isdecimal()
        assert secret not in answered.text
        assert "127.0.0.1" not in answered.text
    await app.close()


async def test_the_metrics_are_those_of_the_command(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    answered = await http.get("/metrics", headers=await make_key("viewer"))
    assert answered.headers["content-type"] == CONTENT_TYPE

    def names(text: str) -> list[str]:
        return [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]

    told = [name for name in names(answered.text) if not name.startswith("holdfast_api_")]
    assert told == names(await app.metrics.text()) != []


async def test_health_gives_every_finding_of_the_doctor(http: AsyncClient, make_key: MakeKey) -> None:
    found = (await http.get("/api/v1/health", headers=await make_key("operator"))).json()
    assert [one["check"] for one in found["findings"]] == list(CHECKS)
    assert found["findings"][0].keys() == {field.name for field in fields(Finding)}


async def test_health_warns_while_the_flag_rescue_is_off(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    key = await make_key("operator")

    async def rescue() -> dict[str, str | None]:
        findings = (await http.get("/api/v1/health", headers=key)).json()["findings"]
        return next(one for one in findings if one["check"] == "rescue")

    assert (await rescue())["level"] == "ok"
    await app.settings.set_flag("rescue", "off", "a network change")
    off = await rescue()
    assert (off["level"], off["fix"]) == ("note", "holdfast flags unset rescue")
    assert (off["message"] or "").startswith("The flag rescue is off for all queues since ")
    assert ": a network change. " in (off["message"] or "")
    await app.settings.set_flag("rescue", None)
    assert (await rescue())["level"] == "ok"


async def test_the_metrics_count_the_requests_of_the_server(http: AsyncClient, make_key: MakeKey) -> None:
    key = await make_key("viewer")
    for path in (f"/api/v1/jobs/{UUID(int=1)}", f"/api/v1/jobs/{UUID(int=2)}", "/made/up", "/other/made/up"):
        assert (await http.get(path, headers=key)).status_code == 404
    text = (await http.get("/metrics", headers=key)).text
    job = 'method="GET",route="/api/v1/jobs/{job_id}"'
    assert f'holdfast_api_requests_total{{{job},status="404"}} 2\n' in text
    assert 'holdfast_api_requests_total{method="",route="(none)",status="404"} 2\n' in text
    assert f"holdfast_api_request_seconds_total{{{job}}} " in text
    assert "holdfast_api_requests_open 1\n" in text
    assert "made/up" not in text
