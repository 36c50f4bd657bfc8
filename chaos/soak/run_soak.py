"""`./dev chaos --soak HOURS`: steady load at half of full speed, and a check that nothing grows."""

import asyncio
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from chaos.output import say, write
from chaos.soak.claim_times import PLACE, ClaimTimes
from chaos.soak.samples import Sample, sample
from chaos.soak.slopes import lines_of, slopes_of, standstills
from chaos.steady_cluster import start_steady_cluster
from chaos.workload import QUEUE
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import fetch_value
from holdfast.model.payload import encode
from holdfast.testing.supervisor import Supervisor

WORKER = ("-A", "chaos.soak.app:app", "--slots", "50", "--stagger", "0s")
TRIAL = 10_000  # jobs, to learn the full speed
BATCH = 100
SAMPLES = 100
REPORTS = 20
PATIENCE = 60.0  # seconds, for the last jobs
DONE = "select count(*) from holdfast.history"
LEFT = "select count(*) from holdfast.jobs"


def soak_for(length: timedelta, workers: int, report: Path | None) -> bool:
    """True if all jobs ended, without a pause, and nothing grew that must not grow."""
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-soak-") as directory,
        tempfile.TemporaryDirectory(prefix="holdfast-claims-") as claim_times,
    ):
        full, samples, left = asyncio.run(_soak(Path(directory), Path(claim_times), length, workers))
    # The first tenth is left out: caches fill, pools open.
    steady = [one for one in samples if one.at >= samples[-1].at / 10]
    slopes = slopes_of(steady)
    wrong = [
        *(f"{one.name} grows" for one in slopes if one.grows),
        *(f"nothing ended before {at:.0f} s" for at in standstills(steady)),
        *([f"{left} jobs were left"] if left else []),
    ]
    pace = f"{length.total_seconds():.0f} s with {workers} workers at half of {full:.0f} jobs/s"
    lines = [*lines_of(steady, slopes), f"soak: {pace}; {', '.join(wrong) or 'no slope, nothing left'}"]
    write(lines)
    if report is not None:
        report.write_text("\n".join([*lines, ""]))
    return not wrong


async def _soak(
    directory: Path, claim_times: Path, length: timedelta, workers: int
) -> tuple[float, list[Sample], int]:
    """The full speed, what was measured, and how many jobs had not ended in the end."""
    async with start_steady_cluster(
        directory, workers, WORKER, "holdfast soak", {PLACE: str(claim_times)}
    ) as (database, supervisor):
        full = await _full_speed(database)
        say(f"soak: full speed is {full:.0f} jobs/s; {length.total_seconds():.0f} s at half of it")
        began = time.monotonic()
        producer = asyncio.create_task(_produce(database, full / 2, began + length.total_seconds()))
        samples = await _watch(database, supervisor, ClaimTimes(claim_times), began, length)
        await producer
        return full, samples, await _left(database)


async def _left(database: Database) -> int:
    """Jobs that have not ended, after enough time to do so."""
    given_up_at = time.monotonic() + PATIENCE
    left = 1
    while left and time.monotonic() < given_up_at:
        await asyncio.sleep(0.5)
        left = int(await fetch_value(database, LEFT))
    return left


async def _full_speed(database: Database) -> float:
    """Jobs per second with a backlog; the workers have started before the clock does."""
    await _enqueue(database, 100)
    await _until_done(database, 100)
    began = time.monotonic()
    for _ in range(TRIAL // BATCH):
        await _enqueue(database, BATCH)
    await _until_done(database, TRIAL + 100)
    return TRIAL / (time.monotonic() - began)


async def _until_done(database: Database, count: int) -> None:
    done = 0
    while done < count:
        await asyncio.sleep(0.05)
        done = int(await fetch_value(database, DONE))


async def _produce(database: Database, rate: float, until: float) -> None:
    due = time.monotonic()
    while due < until:
        await _enqueue(database, BATCH)
        due += BATCH / rate
        await asyncio.sleep(max(0.0, due - time.monotonic()))


async def _enqueue(database: Database, count: int) -> None:
    await enqueue_jobs(database, ["nothing"], [encode({"n": n}) for n in range(count)], {"queue": QUEUE})


async def _watch(
    database: Database, supervisor: Supervisor, claim_times: ClaimTimes, began: float, length: timedelta
) -> list[Sample]:
    every = max(0.5, length.total_seconds() / SAMPLES)
    samples: list[Sample] = []
    while (at := time.monotonic() - began) < length.total_seconds():
        supervisor.check()
        one = await sample(database, supervisor.pids, claim_times, at, timedelta(seconds=every))
        if len(samples) % (SAMPLES // REPORTS) == 0:
            say(f"soak: {at:.0f} s, {one.jobs} jobs, claim p99 {one.claim:.0f} ms, pick-up {one.pick_up:.0f}")
        samples.append(one)
        await asyncio.sleep(every)
    return samples
