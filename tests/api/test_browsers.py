"""Browser frontends of other origins: none by default, the named ones without cookies."""

from collections.abc import AsyncIterator

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.model.error import InvalidOption
from tests.api.conftest import MakeKey

PAGE = "https://app.example"
ASKS = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
}


@pytest.fixture
async def open_http(app: Holdfast) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app=api_app(app, allow_origins=[PAGE], limits=Limits(body=10)))
    async with AsyncClient(transport=transport, base_url="http://api") as client:
        yield client


async def test_by_default_no_page_may_call(http: AsyncClient, make_key: MakeKey) -> None:
    asked = await http.options("/api/v1/jobs", headers=ASKS)
    assert asked.status_code == 405
    answered = await http.get("/metrics", headers={**await make_key("viewer"), "Origin": PAGE})
    assert not [name for name in (*asked.headers, *answered.headers) if "access-control" in name.lower()]


async def test_a_named_origin_may_call_without_credentials(open_http: AsyncClient, make_key: MakeKey) -> None:
    asked = await open_http.options("/api/v1/jobs", headers=ASKS)
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == PAGE
    assert "access-control-allow-credentials" not in asked.headers
    answered = await open_http.get("/metrics", headers={**await make_key("viewer"), "Origin": PAGE})
    assert (answered.status_code, answered.headers["access-control-allow-origin"]) == (200, PAGE)
    assert "X-Request-Id" in answered.headers["access-control-expose-headers"]


async def test_a_refusal_can_be_read_by_the_page_too(open_http: AsyncClient) -> None:
    refused = await open_http.post("/api/v1/jobs", content=b"x" * 11, headers={"Origin": PAGE})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (413, PAGE)


async def test_another_origin_may_not(open_http: AsyncClient) -> None:
    asked = await open_http.options("/api/v1/jobs", headers={**ASKS, "Origin": "https://evil.example"})
    assert asked.status_code == 400
    assert "access-control-allow-origin" not in asked.headers


@pytest.mark.parametrize("origin", ["app.example", "https://app.example/", "https://*.example", "null", ""])
async def test_what_is_no_origin_is_refused(app: Holdfast, origin: str) -> None:
    with pytest.raises(InvalidOption):
        api_app(app, allow_origins=[origin])
