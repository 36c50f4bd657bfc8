"""An app inside a web server's life: opened and closed with it, and working there if it is told to."""

import asyncio
import json
import logging
import os
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption, SchemaBehind
from holdfast.model.state import State
from holdfast.worker.worker_run import WorkerRun
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]


class Serving:
    """The process of serving_process.py."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self._port = port

    async def post(self, path: str) -> str:
        return str(await asyncio.to_thread(self._ask, path, "POST"))

    async def is_in(self, state: str, job: str) -> bool:
        return bool(await asyncio.to_thread(self._ask, f"/jobs/{job}", "GET") == state)

    async def says(self, text: bytes) -> None:
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE):
            while text not in (line := await self.process.stderr.readline()):
                assert line, f"the server ended without {text!r}"

    def _ask(self, path: str, method: str) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)


@asynccontextmanager
async def serving(database_url: str, gate: Path) -> AsyncIterator[Serving]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.client.serving_process", str(gate)),
        cwd=ROOT,
        env={**os.environ, "HOLDFAST_DATABASE_URL": database_url, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        yield Serving(process, int(await asyncio.wait_for(process.stdout.readline(), PATIENCE)))
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def until(condition: Callable[[], Awaitable[Any]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await condition():
            await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.alone
async def test_a_server_works_off_its_own_jobs_and_sigterm_lets_running_ones_finish(
    database_url: str, db: Database, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    async with serving(database_url, gate) as server:
        greetings = [await server.post("/greet/Ada"), await server.post("/plain/Grace")]
        for job in greetings:
            await until(partial(server.is_in, "completed", job))
        slow = await server.post("/gate")
        await until(partial(server.is_in, "running", slow))

        server.process.send_signal(signal.SIGTERM)
        await server.says(b"Waiting for application shutdown")
        gate.touch()
        await server.says(b"Application shutdown complete")
        _, said = await asyncio.wait_for(server.process.communicate(), PATIENCE)

    assert server.process.returncode in (0, -signal.SIGTERM)  # uvicorn raises the signal again at its end
    assert b"Traceback" not in said
    states = [row[0] for row in await db.fetch("select state from holdfast.job_view")]
    assert states == ["completed"] * 3
    assert await count(db, "select count(*) from holdfast.worker_view where state <> 'stopped'") == 0


async def count(db: Database, query: str) -> int:
    return int((await db.fetch(query))[0][0])


async def test_fastapi_opens_and_closes_the_app(database_url: str) -> None:
    app = Holdfast(database_url)

    @app.task()
    async def greet() -> None: ...

    server = FastAPI(lifespan=app.lifespan)
    async with server.router.lifespan_context(server):
        handle = await greet.enqueue()
        opened = app.database
        assert await handle.status() is State.READY
    async with server.router.lifespan_context(server):
        assert app.database is not opened
        assert await handle.status() is State.READY


async def test_a_worker_for_all_queues_of_the_app_is_the_default(database_url: str, db: Database) -> None:
    app = Holdfast(database_url)
    lifespan = app.lifespan.with_worker(sweep="300ms")

    @app.task(queue="one")
    async def first() -> int:
        return 1

    @app.task(queue="two")
    async def second() -> int:
        return 2

    for _ in range(2):
        async with lifespan(None):
            handles = await first.enqueue(), await second.enqueue()
            assert [await handle.result("20s") for handle in handles] == [1, 2]
        assert await count(db, "select count(*) from holdfast.worker_view where state <> 'stopped'") == 0


async def test_a_job_beyond_the_grace_goes_back_uncharged(database_url: str, db: Database) -> None:
    app = Holdfast(database_url)
    runs = asyncio.Event()

    @app.task()
    async def forever() -> None:
        runs.set()
        await asyncio.Event().wait()

    async with app.lifespan.with_worker(["default"], grace="100ms")(None):
        handle = await forever.enqueue()
        await asyncio.wait_for(runs.wait(), PATIENCE)
    async with app:
        job = await handle.job()
    assert (job.state, job.failures, job.losses) == (State.READY, 0, 0)


async def test_a_server_does_not_start_on_a_database_without_holdfast(empty_database_url: str) -> None:
    lifespan = Holdfast(empty_database_url).lifespan
    for life in (lifespan(), lifespan.with_worker(["mail"])(None)):
        with pytest.raises(SchemaBehind):
            await life.__aenter__()


@pytest.mark.parametrize(
    "wrong", [{"slots": 0}, {"grace": "soon"}, {"lease": "10ms"}, {"queues": []}, {"queues": "mail"}]
)
def test_wrong_settings_are_refused_where_they_are_written(wrong: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"queues": ["mail"], **wrong}
    with pytest.raises(InvalidOption):
        Holdfast().lifespan.with_worker(**settings)


async def test_a_worker_that_breaks_is_told_at_once_and_raised_at_the_end(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(_: WorkerRun) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(WorkerRun, "work", work)
    life = Holdfast(database_url).lifespan.with_worker(["mail"])(None)
    with caplog.at_level(logging.ERROR, "holdfast"):
        await life.__aenter__()
        await until(lambda: has(caplog, "worker.failed because=broken"))
    with pytest.raises(RuntimeError, match="broken"):
        await life.__aexit__(None, None, None)


async def has(caplog: pytest.LogCaptureFixture, text: str) -> bool:
    return text in caplog.text
