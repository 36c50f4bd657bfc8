"""The server dies right after a claim that did not wait for the disk, and what was settled before stays."""

import signal
from collections.abc import Iterator
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from holdfast.db.invariants import check_invariants
from holdfast.db.maintenance import rescue_jobs
from holdfast.db.worker import settle_and_claim
from holdfast.embedded import EmbeddedServer
from holdfast.model.id import WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import Completed, end_of
from holdfast.model.payload import JsonText
from tests.builders import a_worker, ready_jobs
from tests.crash.place import Place, a_durable_server, a_place

pytestmark = pytest.mark.alone

# Nobody but a commit that waits for the disk writes the log out: what did not wait is gone.
SETTINGS = {"shared_buffers": "16MB", "wal_writer_delay": "10s", "autovacuum": "off"}
DONE = end_of(Completed(JsonText('"done"')))
JOBS = 5


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with a_durable_server(SETTINGS) as made:
        yield made


@pytest.fixture
async def place(server: EmbeddedServer) -> Place:
    return await a_place(server)


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGKILL])
async def test_a_claim_that_a_crash_undid_is_made_again_and_its_first_owner_is_refused(
    place: Place, number: signal.Signals
) -> None:
    async with place.connected() as conn:
        first, second = WorkerId(await a_worker(conn)), WorkerId(await a_worker(conn))
        ids = await ready_jobs(conn, JOBS)
        claimed = await claim(conn, first)
        assert sorted(job.id for job in claimed) == sorted(ids)
        await place.crash(number)
    async with place.connected() as conn:
        assert await states(conn) == {"ready": JOBS}, "the crash undid nothing, and the test shows nothing"
        again = await claim(conn, second)
        assert await settled(conn, first, claimed) == 0
        assert await settled(conn, second, again) == JOBS
        assert await ended_once(conn) == sorted(ids)


async def test_an_end_that_was_answered_survives_and_so_does_the_claim_that_came_with_it(
    place: Place,
) -> None:
    async with place.connected() as conn:
        worker = WorkerId(await a_worker(conn))
        ids = await ready_jobs(conn, JOBS)
        (one,) = await claim(conn, worker, 1)
        answer = await settle_and_claim(conn, worker, JOBS, [one.id], [one.token], [DONE])
        assert len(answer.claimed) == JOBS - 1
        await place.crash(signal.SIGKILL)
    async with place.connected() as conn:
        assert await ended_once(conn) == [one.id]
        assert await states(conn) == {"completed": 1, "running": JOBS - 1}
        assert (await rescue_jobs(conn)).total == 0, "its worker is alive: nobody takes them"
        assert await settled(conn, worker, answer.claimed) == JOBS - 1
        assert await ended_once(conn) == sorted(ids)


async def test_an_end_sent_before_the_crash_and_again_after_it_is_one_end(place: Place) -> None:
    """As a worker does whose answer got lost: the second time it is told that there is nothing to do."""
    async with place.connected() as conn:
        worker = WorkerId(await a_worker(conn))
        ids = await ready_jobs(conn, JOBS)
        claimed = await claim(conn, worker)
        assert await settled(conn, worker, claimed) == JOBS
        await place.crash(signal.SIGKILL)
    async with place.connected() as conn:
        assert await settled(conn, worker, claimed) == 0
        assert await ended_once(conn) == sorted(ids)


async def claim(conn: Connection, worker: WorkerId, n: int = JOBS) -> list[ClaimedJob]:
    """Without an end, as an idle worker does: this does not wait for the disk."""
    return (await settle_and_claim(conn, worker, n, [], [], [])).claimed


async def settled(conn: Connection, worker: WorkerId, jobs: list[ClaimedJob]) -> int:
    """How many of the ends were taken."""
    ids, tokens = [job.id for job in jobs], [job.token for job in jobs]
    answer = await settle_and_claim(conn, worker, 0, ids, tokens, [DONE] * len(jobs))
    return len(jobs) - len(answer.lost)


async def states(conn: Connection) -> dict[str, int]:
    rows = await conn.fetch("select state, count(*) as n from holdfast.job_view group by state")
    return {row["state"]: row["n"] for row in rows}


async def ended_once(conn: Connection) -> list[UUID]:
    """Sorted; one that ended twice would be in it twice."""
    assert await check_invariants(conn) == []
    return [row["id"] for row in await conn.fetch("select id from holdfast.history order by id")]
