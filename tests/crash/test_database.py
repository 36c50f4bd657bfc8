"""The database goes away under a running worker: stopped, killed, restarted."""

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World, world

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
COUNT = 60


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """Durable, and of this test alone: it will be killed."""
    with tempfile.TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        server = EmbeddedServer(Path(directory) / "data", settings={"shared_buffers": "16MB"})
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
async def own_url(own_server: EmbeddedServer) -> str:
    url = own_server.start()
    conn = await asyncpg.connect(url)
    await migrate(conn)
    await conn.close()
    return url


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL])
async def test_a_worker_outlives_a_restart_of_the_database_and_no_job_is_lost(
    own_server: EmbeddedServer, own_url: str, start: Start, number: signal.Signals
) -> None:
    """Fast and immediate shutdown, and a killed postmaster: each job is done, once, and none is charged."""
    async with world(own_url) as before:
        ids = await before.enqueue("book", *({"n": n} for n in range(COUNT)))
        ids += await before.enqueue("nap", *({"seconds": 0.1} for _ in range(COUNT)))
        worker = start(own_url, slots=4, lease=10)
        await until(before.has_calls(COUNT // 2))
        postmaster = await before.conn.fetchval("select pg_read_file('postmaster.pid')")
    os.kill(int(postmaster.split()[0]), number)
    await until(lambda: is_gone(own_url))
    assert own_server.start() == own_url
    conn = await asyncpg.connect(own_url)
    try:
        after = World(conn)
        await until(after.reaches(completed=2 * COUNT), within=60)
        assert await after.violations() == {}
        jobs = [await after.job(job) for job in ids]
        assert all(job["losses"] == 0 and job["state"] == "completed" for job in jobs)
        worker.signal(signal.SIGTERM)
        assert (await worker.ended())[0] == 0
    finally:
        await conn.close()


async def is_gone(url: str) -> bool:
    try:
        conn = await asyncpg.connect(url, timeout=2)
    except (OSError, asyncpg.PostgresError):
        return True
    await conn.close()
    return False
