"""Streams and long polls on a real server: they end when it stops, and a client connects again."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from httpx2 import AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.api.limits.bounded_connection import BoundedConnection
from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey
from tests.builders import a_sealed_run
from tests.patience import PATIENCE


@asynccontextmanager
async def serving(app: Holdfast) -> "AsyncIterator[tuple[uvicorn.Server, asyncio.Task[None], str]]":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        api = api_app(app, is_stopping=lambda: server.should_exit)
        config = uvicorn.Config(api, http=BoundedConnection, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        working = asyncio.create_task(server.serve(sockets=[listening]))
        yield server, working, f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        async with asyncio.timeout(PATIENCE):
            await working


async def first_of(stream: Response) -> tuple[AsyncIterator[str], dict[str, Any]]:
    lines = stream.aiter_lines()
    async for line in lines:
        if line.startswith("data: "):
            return lines, json.loads(line[6:])["snapshot"]
    raise AssertionError("the stream has ended")


async def test_a_server_that_stops_ends_its_streams_and_a_client_connects_to_the_next(
    app: Holdfast, make_key: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    key = await make_key("viewer")
    async with app.database.transaction() as conn:
        run, (job,) = await a_sealed_run(conn, 1)
    url = f"/api/v1/live?watch=run:{run}"
    async with AsyncClient(headers=key, timeout=PATIENCE) as http:
        async with serving(app) as (server, working, address):
            poll = asyncio.create_task(http.get(f"{address}/api/v1/jobs/{job}/result?wait=30"))
            async with http.stream("GET", address + url) as stream:
                lines, snapshot = await first_of(stream)
                assert stream.headers["content-type"].startswith("text/event-stream")
                assert snapshot["ready"] == 1
                server.should_exit = True
                assert not [line async for line in lines if line.startswith("data: ")]
            assert (await poll).status_code == 202
            async with asyncio.timeout(PATIENCE):
                await working
        async with app.database.transaction() as conn:
            await conn.execute("select holdfast.cancel_jobs(array[$1]::uuid[], 'test', 'Ada')", job)
        async with serving(app) as (_, _, address), http.stream("GET", address + url) as stream:
            _, snapshot = await first_of(stream)
            assert snapshot["cancelled"] == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_client_that_leaves_frees_what_it_watched(app: Holdfast, make_key: MakeKey) -> None:
    key = await make_key("viewer")
    async with serving(app) as (server, _, address):
        async with (
            AsyncClient(headers=key, timeout=PATIENCE) as http,
            http.stream("GET", f"{address}/api/v1/live") as stream,
        ):
            await first_of(stream)
            assert server.server_state.tasks
        async with asyncio.timeout(PATIENCE):
            while server.server_state.tasks:
                await asyncio.sleep(0.01)
