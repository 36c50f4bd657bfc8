"""The database goes away under a running worker: stopped, killed, restarted."""

import signal
from collections.abc import Callable, Iterator

import pytest

from holdfast.embedded import EmbeddedServer
from tests.crash.place import Place, a_durable_server, a_place
from tests.crash.processes import WorkerProcess, until
from tests.crash.world import World, world

pytestmark = pytest.mark.alone

Start = Callable[..., WorkerProcess]
COUNT = 60


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with a_durable_server({"shared_buffers": "16MB"}) as made:
        yield made


@pytest.fixture
async def place(server: EmbeddedServer) -> Place:
    return await a_place(server)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGINT, marks=SLOW), pytest.param(signal.SIGQUIT, marks=SLOW), signal.SIGKILL],
)
async def test_a_worker_outlives_a_restart_of_the_database_and_no_job_is_lost(
    place: Place, start: Start, number: signal.Signals
) -> None:
    """Fast and immediate shutdown, and a killed postmaster: each job is done, once, and none is charged."""
    url = await place.url()
    async with world(url) as before:
        # A transaction that the restart broke is a failure of its attempt: again at once.
        ids = await before.enqueue("book", *({"n": n} for n in range(COUNT)), retry={"delays": [0]})
        ids += await before.enqueue("nap", *({"seconds": 0.1} for _ in range(COUNT)))
        worker = start(url, slots=4, lease=10)
        await until(before.has_calls(COUNT // 2))
    await place.crash(number)
    assert await place.url() == url
    async with place.connected() as conn:
        after = World(conn)
        await until(after.reaches(completed=2 * COUNT))
        assert await after.violations() == {}
        jobs = [await after.job(job) for job in ids]
        assert all(job["losses"] == 0 and job["state"] == "completed" for job in jobs)
        worker.signal(signal.SIGTERM)
        assert (await worker.ended())[0] == 0
