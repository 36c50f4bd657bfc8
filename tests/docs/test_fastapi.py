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

import pytest

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


def ask(url: str, method: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=PATIENCE) as answer:
        return json.load(answer)


@pytest.mark.alone
async def test_the_server_greets_by_its_own_worker(database_url: str, tmp_path: Path) -> None:
    async with uvicorn(SERVER, database_url, tmp_path) as url:
        job = await asyncio.to_thread(ask, f"{url}/greetings/Ada", "POST")
        assert await asyncio.to_thread(ask, f"{url}/greetings/{job}", "GET") == "Hello, Ada!"


@pytest.mark.alone
async def test_the_server_with_a_lifespan_of_its_own_starts_and_ends(
    database_url: str, tmp_path: Path
) -> None:
    async with uvicorn(OWN_LIFESPAN, database_url, tmp_path) as url:
        assert (await asyncio.to_thread(ask, f"{url}/openapi.json", "GET"))["paths"] == {}


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
