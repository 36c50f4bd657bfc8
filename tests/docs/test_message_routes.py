"""The guide to the message routes is true: its commands exist, its message is taken, its `fetch` works."""

import asyncio
import json
import re
import shlex
import shutil
import urllib.request
from pathlib import Path

import pytest
from httpx2 import AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.api.serving import served
from tests.cli.command import holdfast
from tests.docs import http_reference
from tests.docs.page import blocks, environment
from tests.docs.serving import commands, started
from tests.patience import PATIENCE
from tests.proof.needed import missing
from tests.repo.tree import ROOT

PAGE = "guides/message-routes.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
((_, MESSAGE),) = blocks(PAGE, "json")
((_, FETCH),) = blocks(PAGE, "js")
# What a worker does with the `fetch` of the page.
LOOP = """
const own = async (path, body) => fetch(`https://worker.dev/api/queue/${path}`,
  body && { method: 'POST', body: JSON.stringify(body) })
const [{ id }] = await own('pending')
const claimed = await own('claim', { messageId: id, workerId: 'w1' })
const ended = await own('complete', { messageId: id, workerId: 'w1', output: 'Hello, Ada' })
console.log(JSON.stringify({ id, text: claimed.message.text, status: ended.status }))
"""


@pytest.mark.slow
@pytest.mark.alone
def test_the_server_of_the_commands_has_the_message_routes(database_url: str, tmp_path: Path) -> None:
    create, serve = commands(PAGE)
    key = holdfast(*shlex.split(create)[1:], url=database_url).out.strip()
    with started(serve, database_url, tmp_path) as url:
        request = urllib.request.Request(
            f"{url}/api/queue/pending", headers={"Authorization": f"Bearer {key}"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answered:
            assert json.load(answered) == []


def test_the_commands_of_the_page_exist(database_url: str) -> None:
    create, serve = commands(PAGE)
    named = [one for one in re.findall(r"`(holdfast [^`]+)`", TEXT) if one.startswith("holdfast queues set")]
    for command in (create, *named):
        assert holdfast(*shlex.split(command)[1:], url=database_url).code == 0, command
    known = holdfast("serve", "--help").out
    options = [*re.findall(r"--[a-z-]+", serve), "--allow-origin"]
    assert named
    assert [option for option in options if option not in known] == []


async def test_the_message_of_the_page_is_answered_with_the_fetch_of_the_page(database_url: str) -> None:
    node = shutil.which("node") or missing("node is not installed: apt-get install nodejs")
    async with Holdfast(database_url) as app, served(api_app(app, message_routes=True)) as url:
        producer = await app.keys.create("page", "producer")
        worker = await app.keys.create("chat-worker-1", "worker", queues=["chat"])
        async with AsyncClient(base_url=url) as http:
            headers = {"Authorization": f"Bearer {producer.secret}"}
            made = await http.post("/api/v1/jobs", content=MESSAGE, headers=headers)
        assert made.status_code == 201, made.text
        process = await asyncio.create_subprocess_exec(
            node,
            "--input-type=module",
            "-e",
            FETCH + LOOP,
            env={**environment(database_url), "API": url, "KEY": worker.secret},
            stdout=asyncio.subprocess.PIPE,
        )
        said = json.loads((await process.communicate())[0])
        job = await app.job(made.json()["id"]).job()
    sent = json.loads(MESSAGE)
    assert said == {"id": sent["unique_key"], "text": sent["payload"]["text"], "status": "complete"}
    assert (job.state, job.output, job.priority) == ("completed", "Hello, Ada", sent["priority"])


def test_the_fetch_of_the_page_is_that_of_the_tested_loop() -> None:
    assert FETCH in (ROOT / "tests" / "api" / "message_loop.mjs").read_text()


def test_the_page_has_every_route_and_the_bound_of_the_counts() -> None:
    nowhere = Holdfast("postgresql://nobody@127.0.0.1:1/none")
    every = api_app(nowhere, message_routes=True).openapi()["paths"]
    usual = http_reference.page()
    own = {
        f"`{method.upper()} {path}`"
        for path, methods in every.items()
        for method in methods
        if f"`{method.upper()} {path}`" not in usual
    }
    assert set(re.findall(r"^\| (`[A-Z]+ /[^`]*`)", TEXT, re.MULTILINE)) == own
    counted = (ROOT / "src/holdfast/sql/message/count_messages.sql").read_text()
    assert set(re.findall(r"limit (\d+)", counted)) == {"10000"}
    assert "counted to 10,000" in TEXT
