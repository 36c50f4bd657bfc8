"""The guide to the HTTP API is true: its server runs, its commands exist, its tables are complete."""

import asyncio
import os
import re
import shlex
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import uvicorn
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import CODES, api_app
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import OPTIONS
from holdfast.db.runs import list_runs
from tests.builders import a_sealed_run
from tests.cli.command import holdfast
from tests.docs import http_reference
from tests.docs.page import blocks, run
from tests.docs.serving import answers, commands, started
from tests.repo.tree import ROOT

PAGE = "guides/http-api.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


async def test_the_server_of_the_page_answers(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["In your own server"]
    names: dict[str, Any] = {}
    with patch.dict(os.environ, HOLDFAST_DATABASE_URL=database_url):
        exec(program, names)
        async with names["app"]:
            transport = ASGITransport(app=names["server"])
            async with AsyncClient(transport=transport, base_url="http://api") as http:
                assert (await http.get("/queue/readyz")).json() == {"status": "ok", "failing": []}


async def test_the_producer_of_the_page_enqueues(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["Enqueue"]
    async with Holdfast(database_url) as app:
        key = await app.keys.create("Enqueue", "producer")
        async with served(app) as url:
            made = await asyncio.to_thread(run, program, database_url, API=url, KEY=key.secret)
        job = await app.job(made.stdout.strip()).job()
    assert (job.queue, job.priority, job.claimed_actor) == ("mail", 70, "Enqueue")


async def test_the_operator_of_the_page_pauses_a_queue(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["Operate"]
    async with Holdfast(database_url) as app:
        key = await app.keys.create("Operate", "operator", queues=["mail"])
        async with served(app) as url:
            done = await asyncio.to_thread(run, program, database_url, API=url, KEY=key.secret)
    assert done.stdout == "the mail server is down\n"


async def test_the_run_of_the_page_is_sealed(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["Runs"]
    async with Holdfast(database_url) as app:
        key = await app.keys.create("Runs", "producer")
        async with served(app) as url:
            await asyncio.to_thread(run, program, database_url, API=url, KEY=key.secret)
        (made,) = [one for one in await list_runs(app.database) if one.name == "newsletter"]
    assert (made.state, made.total) == ("sealed", 3)


async def test_the_bulk_action_of_the_page_is_asked_for(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["Bulk actions"]
    async with Holdfast(database_url) as app:
        key = await app.keys.create("Bulk actions", "operator")
        async with served(app) as url:
            made = await asyncio.to_thread(run, program, database_url, API=url, KEY=key.secret)
        job = await app.job(made.stdout.strip()).job()
    assert (job.queue, job.task, job.state) == ("holdfast", "holdfast.cancel", "ready")


async def test_the_watcher_of_the_page_follows_a_run(database_url: str) -> None:
    program = dict(blocks(PAGE, "python"))["Watch live"]
    async with Holdfast(database_url) as app:
        key = await app.keys.create("Watch live", "viewer")
        async with app.database.transaction() as conn:
            name, (job,) = await a_sealed_run(conn, 1)
            await conn.execute("select holdfast.cancel_jobs(array[$1]::uuid[], 'test', 'Ada')", job)
            await conn.execute("select holdfast.close_runs()")
        async with served(app) as url:
            made = await asyncio.to_thread(run, program, database_url, API=url, KEY=key.secret, RUN=str(name))
    assert made.stdout.splitlines()[-1] == "ended 0 of 1"


@asynccontextmanager
async def served(app: Holdfast) -> AsyncIterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(api_app(app), lifespan="off", log_config=None))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        await serving


def test_every_option_is_on_the_page() -> None:
    assert all(f"`{option}`" in TEXT for option in OPTIONS)


@pytest.mark.slow
@pytest.mark.alone
def test_the_server_of_the_commands_answers_until_sigterm(database_url: str, tmp_path: Path) -> None:
    create, serve = commands(PAGE)
    assert holdfast(*shlex.split(create)[1:], url=database_url).code == 0
    with started(serve, database_url, tmp_path) as url:
        assert (answers(url), answers(url, "/readyz")) == (200, 200)


def test_the_options_of_the_page_exist() -> None:
    serve = commands(PAGE)[1]
    known = holdfast("serve", "--help").out
    options = re.findall(r"--[a-z-]+", serve) + re.findall(r"`(--[a-z-]+)`", TEXT)
    assert all(option in known for option in options)


def test_every_route_is_in_the_reference_and_every_code_on_the_page() -> None:
    assert http_reference.PAGE.read_text() == http_reference.page(), "run python -m tests.docs.http_reference"
    assert all(f"`{code}`" in TEXT for code in CODES.values())


def test_every_route_of_the_page_exists() -> None:
    known = http_reference.page()
    named = re.findall(r"`(?:GET|POST|PATCH|DELETE) /[^`?]*`", TEXT)
    assert len(named) > 30
    assert [route for route in named if route not in known and "openapi.json" not in route] == []
