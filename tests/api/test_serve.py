"""`holdfast serve` as a process: it starts, answers, does maintenance, refuses to be open, and stops."""

import asyncio
import builtins
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from httpx2 import ASGITransport, AsyncClient
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from holdfast.api import serve
from holdfast.api.app import api_app
from holdfast.api.limits.bounded_connection import BEYOND, BoundedConnection
from holdfast.api.limits.limits import Limits
from holdfast.api.serve import ServeOptions, make_server, read_proxies, require_keys
from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from holdfast.model.error import DatabaseBusy, InvalidOption, NotConfigured
from tests.cli.command import environment, eventually, holdfast
from tests.cli.scene import rows
from tests.patience import PATIENCE

SERVE = [sys.executable, "-m", "holdfast", "serve", "--port", "0"]


def ask(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answered:
        return json.load(answered)


@pytest.mark.slow
@pytest.mark.alone
def test_the_server_answers_does_maintenance_and_stops_with_status_0(database_url: str) -> None:
    with subprocess.Popen(
        SERVE, env=environment(database_url), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        assert ask(f"{url}/readyz") == {"status": "ok", "failing": []}
        eventually(lambda: bool(rows(database_url, "select from holdfast.maintenance_view")))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "Traceback" not in said


@pytest.mark.parametrize("first", [b"", b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"])
@pytest.mark.parametrize("rest", [b"GET /livez HTTP/1.1\r\nX-Slow: ", b"G"])
async def test_a_connection_whose_headers_do_not_come_is_closed(
    monkeypatch: pytest.MonkeyPatch, first: bytes, rest: bytes
) -> None:
    monkeypatch.setattr(BoundedConnection, "within", 3600.0 if first else 0.05)
    config = uvicorn.Config(FastAPI(), lifespan="off", log_config=None, timeout_keep_alive=3600)
    config.load()
    make = partial(BoundedConnection, config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        if first:
            writer.write(first)
            assert b"404" in await reader.readline()
            monkeypatch.setattr(BoundedConnection, "within", 0.05)
        writer.write(rest)
        await reader.read()  # until the server closes the connection
        writer.close()


async def test_a_connection_is_closed_after_an_answer_to_half_a_request() -> None:
    config = uvicorn.Config(FastAPI(), lifespan="off", log_config=None, timeout_keep_alive=3600)
    config.load()
    make = partial(BoundedConnection, config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert b"404" in await reader.read()
        writer.close()


@asynccontextmanager
async def connected(
    app: ASGIApp,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to `app` behind the class that `serve` uses."""
    config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_keep_alive=3600)
    config.load()
    make = partial(BoundedConnection, config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        yield reader, writer
        writer.close()


@pytest.mark.parametrize(("most", "answer"), [(1, b"200"), (0, b"503"), (-BEYOND, b"")])
async def test_connections_beyond_the_limit_are_refused_then_closed(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, most: int, answer: bytes
) -> None:
    monkeypatch.setattr(BoundedConnection, "most", most)
    async with connected(api_app(app)) as (reader, writer):
        writer.write(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        with suppress(ConnectionResetError):
            assert answer in await reader.read()


async def test_a_client_that_does_not_read_its_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedConnection, "within", 0.05)
    ended = asyncio.Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        gone = asyncio.create_task(receive_end(receive))
        while not gone.done():
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
            await asyncio.sleep(0)
        ended.set()

    async def receive_end(receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async with connected(endless) as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await ended.wait()


async def test_a_header_larger_than_the_limit_is_refused(app: Holdfast) -> None:
    async with connected(api_app(app)) as (reader, writer):
        writer.write(b"GET /livez HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 200_000)
        assert b" 400 " in await reader.readline()


@pytest.mark.parametrize(
    "lines",
    [
        b"GET /livez HTTP/1.1\r\nX: " + b"x" * 17_000,
        b"GET /livez HTTP/1.1" + b"\r\nX-Many: 1" * 3000,
        b"GET /livez?" + b"x" * 17_000 + b" HTTP/1.1",
        b"GET /" + b"x" * 17_000 + b" HTTP/1.1",
    ],
    ids=["one header", "many headers", "a query", "a path"],
)
async def test_headers_larger_than_the_limit_that_come_at_once_are_refused(
    app: Holdfast, lines: bytes
) -> None:
    maintenance = asyncio.create_task(asyncio.sleep(0))
    server = make_server(app, ServeOptions(), maintenance, None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(lines + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            server.should_exit = True
            await serving
    await maintenance
    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == "headers_too_large"


async def test_forwarded_headers_are_believed_only_from_named_proxies(app: Holdfast) -> None:
    """Seen in the addresses for which failed log-ins are counted."""
    options = ServeOptions(proxies=("10.0.0.0/8",), limits=Limits(failed_log_ins=1 / 3600))
    maintenance = asyncio.create_task(asyncio.sleep(0))
    config = make_server(app, options, maintenance, None).config
    config.load()

    async def log_in(address: str, forwarded: str) -> int:
        transport = ASGITransport(app=config.loaded_app, client=(address, 1))
        headers = {"Authorization": "Bearer hfk_wrong", "X-Forwarded-For": forwarded}
        async with AsyncClient(transport=transport, base_url="http://api") as http:
            return (await http.get("/metrics", headers=headers)).status_code

    assert [await log_in("10.0.0.7", "192.0.2.1"), await log_in("10.0.0.7", "192.0.2.2")] == [401, 401]
    assert [await log_in("192.0.2.9", "192.0.2.3"), await log_in("192.0.2.9", "192.0.2.4")] == [401, 429]
    await maintenance


@pytest.mark.parametrize("proxy", ["balancer", "*", "10.0.0.1/8", ""])
def test_a_proxy_is_an_address_or_a_network(proxy: str) -> None:
    with pytest.raises(InvalidOption):
        read_proxies([proxy])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
async def test_the_api_does_not_listen_beyond_loopback_without_keys(app: Holdfast, host: str) -> None:
    with pytest.raises(NotConfigured) as caught:
        await require_keys(app, host)
    assert "holdfast keys create" in (caught.value.hint or "")
    await app.keys.create("first", "admin")
    await require_keys(app, host)
    with pytest.raises(NotConfigured):
        await require_keys(app, host, without_keys=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
async def test_on_loopback_it_may_start_before_the_first_key(app: Holdfast, host: str) -> None:
    await require_keys(app, host)


def test_an_address_that_cannot_be_used_is_named(database_url: str) -> None:
    holdfast("keys", "create", "k", "--role", "admin", url=database_url)
    refused = holdfast("serve", "--host", "192.0.2.1", "--port", "0", url=database_url)
    assert refused.code == 6
    assert "192.0.2.1" in refused.err
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused = holdfast("serve", "--port", port, url=database_url)
    assert refused.code == 6
    assert f"port {port} cannot be used: Address already in use" in refused.err
    assert "choose another" in refused.err


def test_it_opens_as_many_connections_to_the_database_as_it_is_told_also_with_an_app(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as many as the app says. Each is held, so that the next one must wait for a free one."""
    (tmp_path / "jobs.py").write_text("from holdfast import Holdfast\napp = Holdfast(pool_size=4)\n")
    opened: list[Connection] = []

    async def hold_all(app: Holdfast, *_: Any) -> None:
        async with AsyncExitStack() as held:
            with suppress(DatabaseBusy):
                while len(opened) < 5:
                    opened.append(await held.enter_async_context(app.database.connection()))

    monkeypatch.setattr(serve, "serve", hold_all)
    monkeypatch.setattr(serve, "DATABASE_WAIT", timedelta(milliseconds=50))
    told = ["--database-connections", "3"]
    assert holdfast("serve", "-A", "jobs:app", *told, url=database_url, cwd=tmp_path).code == 0
    assert len(opened) == 3


def test_a_field_to_mask_that_has_no_name_is_refused(database_url: str) -> None:
    refused = holdfast("serve", "--mask", "iban", "--mask", "author..email", url=database_url)
    assert (refused.code, "author..email" in refused.err) == (2, True)


def test_without_the_extra_the_error_names_it(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_fastapi(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("holdfast.api"):
            raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_fastapi)
    refused = holdfast("serve", url=database_url)
    assert refused.code == 1
    assert "holdfast-queue[server]" in refused.err
