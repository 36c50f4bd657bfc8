"""What holds for every request: ids, the log, limits, problems, and no error without an answer."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from time import monotonic
from typing import Any

import jsonschema_rs
import pytest
from fastapi import FastAPI
from httpx2 import ASGITransport, AsyncClient
from starlette.requests import Request
from starlette.types import Message

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey
from tests.api.documented import differences, document

PROBLEM = {"type", "title", "status", "code", "detail", "hint", "request_id"}
SMALL = Limits(body=100, bulk=200, receive=timedelta(milliseconds=50))
SCOPE = {
    "type": "http", "method": "POST", "query_string": b"", "headers": [], "http_version": "1.1",
    "scheme": "http", "server": ("api", 80), "root_path": "",
}  # fmt: skip
NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
async def small(app: Holdfast) -> AsyncIterator[AsyncClient]:
    """An API with small limits, and two routes of the test's own."""
    api = api_app(app, limits=SMALL)

    @api.post("/length")
    async def length(request: Request) -> int:
        return len(await request.body())

    @api.get("/broken")
    async def broken() -> None:
        raise RuntimeError("the password is wonderland")

    transport = ASGITransport(app=api, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://api") as client:
        yield client


def fields_of(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, Any]]:
    heard = [vars(record) for record in caplog.records]
    return [record["fields"] for record in heard if record.get("event") == event]


async def chunks(count: int, size: int = 10) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x" * size


async def test_a_request_has_an_id_and_a_line_in_the_log(
    http: AsyncClient, make_key: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "holdfast")
    key = await make_key("viewer")
    answered = await http.get("/metrics?secret=no", headers={**key, "X-Request-Id": "mine-1"})
    assert answered.headers["X-Request-Id"] == "mine-1"
    (said,) = fields_of(caplog, "api.request")
    assert (said["request"], said["method"], said["path"], said["status"], said["key"]) == (
        "mine-1", "GET", "/metrics", 200, "viewer",
    )  # fmt: skip
    assert key["Authorization"].split()[1] not in caplog.text


@pytest.mark.parametrize("given", ["x" * 101, "a b", "<script>", ""])
async def test_an_id_that_does_not_look_like_one_is_replaced(http: AsyncClient, given: str) -> None:
    answered = await http.get("/livez", headers={"X-Request-Id": given})
    assert answered.headers["X-Request-Id"] not in ("", given)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "no_such_route"),
        ("GET", "/api/v1/../../etc/passwd", 404, "no_such_route"),
        ("GET", "/%00%ff", 404, "no_such_route"),
        ("DELETE", "/livez", 405, "method_not_allowed"),
    ],
)
async def test_a_route_that_does_not_exist_is_a_problem(
    http: AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answered = await http.request(method, path)
    assert answered.headers["content-type"] == "application/problem+json"
    assert answered.json().keys() == PROBLEM
    assert (answered.status_code, answered.json()["code"]) == (status, code)


async def test_a_body_is_counted_before_the_access_key_is_looked_at(small: AsyncClient) -> None:
    for content in (b"x" * 101, chunks(11), chunks(10_000_000)):
        refused = await small.post("/length", content=content)
        assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
    assert (await small.post("/length", content=chunks(10))).json() == 100


@pytest.mark.parametrize("path", ["/jobs/bulk", "/runs/0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b12/jobs/bulk"])
@pytest.mark.parametrize("mount", ["", "/queue"])
async def test_a_bulk_enqueue_may_be_larger(app: Holdfast, make_key: MakeKey, path: str, mount: str) -> None:
    server, key = FastAPI(), await make_key("admin")
    server.mount(mount, api_app(app, limits=SMALL))
    async with AsyncClient(transport=ASGITransport(app=server), base_url=f"http://api{mount}/api/v1") as http:
        statuses = [
            (await http.post(path, content=chunks(size), headers=key)).status_code for size in (20, 21)
        ]
        assert statuses == [422, 413]
        other = await http.patch("/rebalance/jobs/bulk", content=chunks(11), headers=key)
        assert other.status_code == 413, "a pair of queues with these names"


async def test_only_the_probes_themselves_are_left_out_of_the_log(
    http: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "holdfast")
    for path in ("/livez", "/readyz", "/api/v1/queues/livez"):
        await http.get(path)
    assert [said["path"] for said in fields_of(caplog, "api.request")] == ["/api/v1/queues/livez"]


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 30, "²"])
async def test_a_length_that_is_no_number_is_refused(small: AsyncClient, length: str) -> None:
    headers = {b"Content-Length": length.encode()}
    assert (await small.post("/length", content=b"", headers=headers)).status_code == 413


async def test_a_body_that_does_not_come_is_given_up(app: Holdfast) -> None:
    api = api_app(app, limits=SMALL)

    @api.post("/length")
    async def length(request: Request) -> int:
        return len(await request.body())

    never = asyncio.Event()
    said: list[Message] = []

    async def receive() -> Message:
        await never.wait()
        raise AssertionError

    async def send(message: Message) -> None:
        said.append(message)

    await api(SCOPE | {"path": "/length", "raw_path": b"/length"}, receive, send)
    assert said[0]["status"] == 408


async def test_headers_and_body_have_one_deadline(app: Holdfast) -> None:
    """The connection says when the first byte came: here so long ago that the body has no time left."""
    said: list[Message] = []

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        said.append(message)

    key = await app.keys.create("k", "producer")
    headers = [(b"authorization", f"Bearer {key.secret}".encode())]
    state = {"received_from": monotonic() - 3600}
    scope = SCOPE | {"path": "/api/v1/jobs", "raw_path": b"/api/v1/jobs", "headers": headers, "state": state}
    await api_app(app)(scope, receive, send)
    assert said[0]["status"] == 408


async def test_a_server_with_too_many_connections_answers_only_probes(app: Holdfast) -> None:
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            said.append(message)

    for path in ("/metrics", "/livez"):
        scope = SCOPE | {"method": "GET", "path": path, "raw_path": path.encode(), "state": {"is_full": True}}
        await api_app(app)(scope, receive, send)
    assert [message["status"] for message in said] == [503, 200]
    for message in said:
        assert (b"connection", b"close") in message["headers"]
    assert b"retry-after" in dict(said[0]["headers"])


async def test_an_unexpected_error_is_logged_and_not_shown(
    small: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    answered = await small.get("/broken")
    assert (answered.status_code, answered.json()["code"]) == (500, "internal_error")
    assert "wonderland" not in answered.text
    (said,) = fields_of(caplog, "api.failed")
    assert said["request"] == answered.json()["request_id"]
    assert "wonderland" in said["because"]


async def test_the_api_can_be_mounted_in_another_app(app: Holdfast, make_key: MakeKey) -> None:
    other = FastAPI()
    other.mount("/queue", api_app(app))
    async with AsyncClient(transport=ASGITransport(app=other), base_url="http://api") as http:
        assert (await http.get("/queue/readyz")).status_code == 200
        assert (await http.get("/queue/metrics")).status_code == 401
        assert (await http.get("/queue/metrics", headers=await make_key("viewer"))).status_code == 200


@pytest.mark.slow
async def test_a_proxy_may_remove_a_part_of_the_path(app: Holdfast) -> None:
    transport = ASGITransport(app=api_app(app), root_path="/queue")
    async with AsyncClient(transport=transport, base_url="http://api") as http:
        assert (await http.get("/queue/readyz")).status_code == 200
        assert (await http.get("/queue/api/v1/openapi.json")).json()["servers"] == [{"url": "/queue"}]


async def test_the_openapi_document_describes_every_answer_and_every_body(http: AsyncClient) -> None:
    """With a schema, and an example that fits it."""
    assert (await http.get("/api/v1/openapi.json")).status_code == 200
    for path, methods in document()["paths"].items():
        for route in methods.values():
            assert route["description"], path
            done = [said for status, said in route["responses"].items() if status < "300"]
            assert done, path
            for said in [*done, *filter(None, [route.get("requestBody")])]:
                for content in said["content"].values():
                    assert not [*differences(without_nulls(content), content["example"])], path


def without_nulls(content: dict[str, Any]) -> dict[str, Any]:
    """FastAPI leaves out of the examples what is null."""
    return {**content, "schema": optional_nulls(content["schema"])}


def optional_nulls(schema: Any) -> Any:
    if isinstance(schema, list):
        return [optional_nulls(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: optional_nulls(one) for name, one in schema.items()}
    if isinstance(properties := schema.get("properties"), dict):
        required = schema.get("required", [])
        found["required"] = [name for name in required if not may_be_null(properties[name])]
    return found


def may_be_null(schema: dict[str, Any]) -> bool:
    return jsonschema_rs.is_valid(schema, None)


async def test_a_name_with_a_slash_is_refused_with_words_about_it(http: AsyncClient) -> None:
    for path in ("/api/v1/queues/a%2Fb", "/api/v1/queues/a%2fb/pause"):
        refused = await http.get(path)
        assert (refused.status_code, refused.json()["code"]) == (404, "no_such_route")
        assert "slash" in refused.json()["detail"]
