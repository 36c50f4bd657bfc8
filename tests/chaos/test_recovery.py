"""How long a recovery took: counted from the death, or from when a worker could sweep again."""

from datetime import UTC, datetime, timedelta

import pytest

from chaos.fault_injector import Injection
from chaos.recovery import measure
from holdfast.db.connect import Database
from tests.builders import a_worker, claim_one, expire_worker, ready_job, rescue

BOUND = timedelta(seconds=4)
SECOND = timedelta(seconds=1)


async def a_rescued_worker(db: Database, pid: int) -> datetime:
    """When its job was taken back, with another worker, 8, that was there all the time."""
    await another_worker(db, pid=8)
    async with db.connection() as conn:
        worker = await a_worker(conn, pid=pid)
        await ready_job(conn)
        job = await claim_one(conn, worker)
        await expire_worker(conn, worker)
        assert (await rescue(conn))["recovered"] == 1
        at: datetime = await conn.fetchval("select ended_at from holdfast.attempts where job_id = $1", job.id)
        return at


async def test_a_dead_workers_recovery_lasts_until_its_jobs_were_rescued(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    found = await measure(db, [a_death(back - 3 * SECOND)], BOUND)
    assert found.by_fault["kill-worker"] == [pytest.approx(3)]
    assert found.of_dead_workers == [pytest.approx(3)]
    assert not found.late


async def test_a_recovery_that_took_longer_than_promised_is_late(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    died = back - 4.5 * SECOND
    (late,) = (await measure(db, [a_death(died)], BOUND)).late
    assert (late.pid, late.died) == (7, died)
    assert late.seconds == pytest.approx(4.5)


async def test_what_was_rescued_before_the_fault_is_not_its_recovery(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    found = await measure(db, [a_death(back + SECOND)], BOUND)
    assert (found.by_fault, found.of_dead_workers) == ({}, [])


@pytest.mark.parametrize(
    ("fault", "affected"),
    [("kill-database", frozenset()), ("partition", frozenset({8})), ("stop-worker", frozenset({8}))],
)
async def test_the_two_sweeps_are_counted_from_when_a_worker_could_sweep_again(
    db: Database, fault: str, affected: frozenset[int]
) -> None:
    """The lease, two seconds, had ended long before: what counts is the second since the fault."""
    back = await a_rescued_worker(db, pid=7)
    away = Injection(fault, back - 8 * SECOND, back - SECOND, True, affected)
    found = await measure(db, [a_death(back - 9 * SECOND), away], BOUND)
    assert found.by_fault["kill-worker"] == [pytest.approx(9)]
    assert found.of_dead_workers == [pytest.approx(3)]


async def test_harm_to_one_worker_is_no_excuse_while_another_could_sweep(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    await another_worker(db, pid=9)
    away = Injection("partition", back - 8 * SECOND, back - SECOND, True, frozenset({8}))
    assert [late.pid for late in (await measure(db, [a_death(back - 9 * SECOND), away], BOUND)).late] == [7]


async def test_two_faults_at_once_excuse_only_while_both_last(db: Database) -> None:
    """Each leaves one worker that could sweep; together, until a second ago, they left none."""
    back = await a_rescued_worker(db, pid=7)
    await another_worker(db, pid=9)
    one = Injection("partition", back - 8 * SECOND, back - SECOND, True, frozenset({8}))
    other = Injection("stop-worker", back - 3 * SECOND, back, True, frozenset({9}))
    found = await measure(db, [a_death(back - 9 * SECOND), one, other], BOUND)
    assert found.of_dead_workers == [pytest.approx(3)]
    before = Injection("stop-worker", back - 9 * SECOND, back - 5 * SECOND, True, frozenset({9}))
    found = await measure(db, [a_death(back - 9 * SECOND), one, before], BOUND)
    assert found.of_dead_workers == [pytest.approx(7)]
    assert [late.pid for late in found.late] == [7]


async def test_a_successor_is_no_rescuer_before_it_has_begun(db: Database) -> None:
    """The only other worker was killed, too; its successor registered half a second before the rescue."""
    back = await a_rescued_worker(db, pid=7)
    await another_worker(db, pid=9, started=back - SECOND / 2)
    injections = [a_death(back - 9 * SECOND), a_death(back - 8 * SECOND, pid=8)]
    assert (await measure(db, injections, BOUND)).of_dead_workers == [pytest.approx(2.5)]


def a_death(died: datetime, pid: int = 7) -> Injection:
    return Injection("kill-worker", died, died, True, deaths={pid: died})


async def another_worker(db: Database, pid: int, started: datetime | None = None) -> None:
    async with db.connection() as conn:
        worker = await a_worker(conn, pid=pid)
        at = started or datetime.now(UTC) - timedelta(hours=1)
        await conn.execute("update holdfast.workers set started_at = $2 where id = $1", worker, at)
