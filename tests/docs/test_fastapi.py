"""The servers of the guide run as they stand, under uvicorn."""

import asyncio
import json
import re
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from uuid import uuid4

import pytest
from fastapi import Response

from holdfast import State, Timeout
from holdfast.client.job_handle import JobHandle
from holdfast.testing import drain
from tests.cli.command import holdfast
from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/fastapi.md"
SERVER, OWN_LIFESPAN = [text for _, text in blocks(PAGE, "python")]
ADDRESS = re.compile(r"running on (http://[\d.:]+)")


@asynccontextmanager
async def uvicorn(program: str, database_url: str, directory: Path) -> AsyncIterator[str]:
    """Its address; it is told to end, and ends well."""
    (directory / "server.py").write_text(program)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "uvicorn", "server:api", "--port", "0"),
        cwd=directory,
        env=environment(database_url),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield await address(process)
        process.send_signal(signal.SIGTERM)
        _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert b"Application shutdown complete" in said
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE):
        while line := (await process.stderr.readline()).decode():
            if found := ADDRESS.search(line):
                return found[1]
    raise AssertionError("the server did not start")


def ask(url: str, method: str = "GET") -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def ended(url: str, job: str) -> Any:
    """What the server says of a job in the end; until then it answers 202 with a state that is no end."""
    for _ in range(round(PATIENCE)):
        status, said = ask(f"{url}/welcomes/{job}")
        if status != 202:
            assert status == 200
            return said
        assert State(said["state"]).is_end is False
    raise AssertionError("the job did not end")


@pytest.mark.slow
@pytest.mark.alone
async def test_the_server_greets_by_its_own_worker(database_url: str, tmp_path: Path) -> None:
    async with uvicorn(SERVER, database_url, tmp_path) as url:
        status, job = await asyncio.to_thread(ask, f"{url}/welcomes/Ada", "POST")
        assert status == 202
        assert await asyncio.to_thread(ended, url, job) == {"state": "completed", "output": "Hello, Ada!"}


@pytest.mark.slow
@pytest.mark.alone
async def test_the_server_tells_of_jobs_that_are_not_done_did_not_complete_or_do_not_exist(
    database_url: str, tmp_path: Path
) -> None:
    def enqueue(payload: str, *options: str) -> str:
        words = ("enqueue", "welcome", payload, "--queue", "welcomes", *options)
        return holdfast(*words, url=database_url).out.strip()

    def check(url: str) -> None:
        assert ended(url, ask(f"{url}/welcomes/R2-D2", "POST")[1])["reason"] == "R2-D2 is no name"
        assert ended(url, enqueue("{}"))["state"] == "dead"
        later = enqueue('{"name": "Ada"}', "--delay", "1h")
        assert ask(f"{url}/welcomes/{later}") == (202, {"state": "scheduled"})
        assert holdfast("jobs", "cancel", later, "--reason", "no time", url=database_url).code == 0
        assert ended(url, later) == {"state": "cancelled", "reason": "no time"}
        assert ask(f"{url}/welcomes/{uuid4()}")[0] == 404
        assert ask(f"{url}/welcomes/nonsense")[0] == 404

    async with uvicorn(SERVER, database_url, tmp_path) as url:
        await asyncio.to_thread(check, url)


async def test_a_job_that_ends_just_after_the_wait_is_answered_with_its_end(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = JobHandle.result
    timeouts = iter([Timeout("The job did not end.")])

    async def wait_in_vain(handle: JobHandle[Any], timeout: Any = None) -> Any:
        for late in timeouts:
            raise late
        return await wait(handle, timeout)

    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    monkeypatch.setattr(JobHandle, "result", wait_in_vain)
    names: dict[str, Any] = {}
    exec(SERVER, names)
    async with names["app"] as app:
        job = await names["welcome"].enqueue("R2-D2")
        await drain(app)
        response = Response()
        said = await names["show"](str(job.id), response)
    assert (response.status_code, said) == (200, {"state": "rejected", "reason": "R2-D2 is no name"})


@pytest.mark.slow
@pytest.mark.alone
async def test_the_server_with_a_lifespan_of_its_own_starts_and_ends(
    database_url: str, tmp_path: Path
) -> None:
    async with uvicorn(OWN_LIFESPAN, database_url, tmp_path) as url:
        assert (await asyncio.to_thread(ask, f"{url}/openapi.json"))[1]["paths"] == {}


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
