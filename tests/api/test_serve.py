"""`holdfast serve` as a process: it starts, answers, does maintenance, refuses to be open, and stops."""

import asyncio
import builtins
import json
import re
import signal
import subprocess
import sys
import urllib.request
from functools import partial
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from uvicorn.server import ServerState

from holdfast.api.bounded_headers import BoundedHeaders
from holdfast.api.serve import require_keys
from holdfast.client.app import Holdfast
from holdfast.model.error import NotConfigured
from tests.cli.command import environment, eventually, holdfast
from tests.cli.scene import rows
from tests.patience import PATIENCE

SERVE = [sys.executable, "-m", "holdfast", "serve", "--port", "0"]


def ask(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answered:
        return json.load(answered)


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
    monkeypatch.setattr(BoundedHeaders, "within", 3600.0 if first else 0.05)
    config = uvicorn.Config(FastAPI(), lifespan="off", log_config=None, timeout_keep_alive=3600)
    config.load()
    make = partial(BoundedHeaders, config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        if first:
            writer.write(first)
            assert b"404" in await reader.readline()
            monkeypatch.setattr(BoundedHeaders, "within", 0.05)
        writer.write(rest)
        await reader.read()  # until the server closes the connection
        writer.close()


async def test_a_connection_is_closed_after_an_answer_to_half_a_request() -> None:
    config = uvicorn.Config(FastAPI(), lifespan="off", log_config=None, timeout_keep_alive=3600)
    config.load()
    make = partial(BoundedHeaders, config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert b"404" in await reader.read()
        writer.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
async def test_the_api_does_not_listen_beyond_loopback_without_keys(app: Holdfast, host: str) -> None:
    with pytest.raises(NotConfigured) as caught:
        await require_keys(app, host)
    assert "holdfast keys create" in (caught.value.hint or "")
    await app.keys.create("first", "admin")
    await require_keys(app, host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
async def test_on_loopback_it_may_start_before_the_first_key(app: Holdfast, host: str) -> None:
    await require_keys(app, host)


def test_an_address_that_cannot_be_used_is_named(database_url: str) -> None:
    holdfast("keys", "create", "k", "--role", "admin", url=database_url)
    refused = holdfast("serve", "--host", "192.0.2.1", "--port", "0", url=database_url)
    assert refused.code == 6
    assert "192.0.2.1" in refused.err


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
