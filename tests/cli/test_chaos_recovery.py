"""How long a recovery took: counted from the fault that caused it, and only if nothing else disturbed it."""

from datetime import datetime, timedelta

import pytest

from holdfast.cli.chaos.gauges import Sample
from holdfast.cli.chaos.nemesis import Blow
from holdfast.cli.chaos.recovery import measure
from holdfast.cli.chaos.slopes import report_slopes, slope_of
from holdfast.db.connect import Database
from tests.builders import a_worker, claim_one, expire_worker, ready_job, rescue

BOUND = timedelta(seconds=4)


async def a_rescued_worker(db: Database, pid: int) -> datetime:
    """When its job was taken back."""
    async with db.connection() as conn:
        worker = await a_worker(conn, pid=pid)
        await ready_job(conn)
        job = await claim_one(conn, worker)
        await expire_worker(conn, worker)
        assert (await rescue(conn))["recovered"] == 1
        at: datetime = await conn.fetchval("select ended_at from holdfast.attempts where job_id = $1", job.id)
        return at


async def test_a_dead_workers_recovery_lasts_until_its_jobs_were_taken_back(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    killed = back - timedelta(seconds=3)
    blow = Blow("kill-worker", killed, killed, True, frozenset({7}))
    found = await measure(db, [blow], BOUND)
    assert found.by_fault["kill-worker"].max == pytest.approx(3)
    assert found.of_dead_workers == pytest.approx(3)


async def test_what_was_taken_back_before_the_fault_is_not_its_recovery(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    later = back + timedelta(seconds=1)
    found = await measure(db, [Blow("kill-worker", later, later, True, frozenset({7}))], BOUND)
    assert (found.by_fault, found.of_dead_workers) == ({}, None)


async def test_a_recovery_while_the_database_was_away_says_nothing_about_the_promise(db: Database) -> None:
    back = await a_rescued_worker(db, pid=7)
    killed = back - timedelta(seconds=3)
    away = Blow("kill-database", killed + timedelta(seconds=1), back, True)
    found = await measure(db, [Blow("kill-worker", killed, killed, True, frozenset({7})), away], BOUND)
    assert found.of_dead_workers is None


def a_sample(at: float, memory: int) -> Sample:
    return Sample(at, memory, 20, 1000, 1000, int(at), 10, int(at), int(at))


def test_a_leak_is_seen_and_noise_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    leaking = [a_sample(at, 1000 + 10 * at) for at in range(100)]
    noisy = [a_sample(at, 1000 + 50 * (at % 2)) for at in range(100)]
    assert slope_of("memory", leaking).is_leak
    assert not slope_of("memory", noisy).is_leak
    assert report_slopes(noisy, 0.01, 0.01)
    assert not report_slopes(leaking, 0.01, 0.01)
    assert not report_slopes(noisy, 0.01, 1.0), "claims have become slow"
    assert "grows" in capsys.readouterr().out
