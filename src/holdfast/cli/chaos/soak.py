"""`holdfast chaos --soak HOURS`: steady work at half of full speed, and what grows meanwhile."""

import asyncio
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from holdfast.cli.chaos.bare import bare
from holdfast.cli.chaos.claims import PLACE, Claims
from holdfast.cli.chaos.gauges import Sample, sample
from holdfast.cli.chaos.part import QUEUE
from holdfast.cli.chaos.slopes import lines_of, slopes_of, standstills
from holdfast.cli.crew import Crew
from holdfast.cli.output import say, write
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import fetch_value
from holdfast.model.payload import encode

WORKER = ("-A", "holdfast.cli.chaos.soak_app:app", "--slots", "50", "--stagger", "0s")
TRIAL = 10_000  # jobs, to learn the full speed
BATCH = 100
SAMPLES = 100
TOLD = 20  # times
PATIENCE = 60.0  # seconds, for what was given last
DONE = "select count(*) from holdfast.history"
LEFT = "select count(*) from holdfast.jobs"


def soak_for(length: timedelta, workers: int, report: Path | None) -> bool:
    """True if all was done, without a pause, and nothing grew that must not grow."""
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-soak-") as directory,
        tempfile.TemporaryDirectory(prefix="holdfast-claims-") as claims,
    ):
        full, samples, left = asyncio.run(_soak(Path(directory), Path(claims), length, workers))
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
    for line in lines:
        write(line)
    if report is not None:
        report.write_text("\n".join([*lines, ""]))
    return not wrong


async def _soak(
    directory: Path, claims: Path, length: timedelta, workers: int
) -> tuple[float, list[Sample], int]:
    """The full speed, what was measured, and how many jobs had not ended in the end."""
    told = {PLACE: str(claims)}
    async with bare(directory, workers, WORKER, "holdfast soak", told) as (database, crew):
        full = await _full_speed(database)
        say(f"soak: full speed is {full:.0f} jobs/s; {length.total_seconds():.0f} s at half of it")
        began = time.monotonic()
        producer = asyncio.create_task(_produce(database, full / 2, began + length.total_seconds()))
        samples = await _watch(database, crew, Claims(claims), began, length)
        await producer
        return full, samples, await _left(database)


async def _left(database: Database) -> int:
    """Jobs that have not ended, after a time in which they could have."""
    given_up_at = time.monotonic() + PATIENCE
    left = 1
    while left and time.monotonic() < given_up_at:
        await asyncio.sleep(0.5)
        left = int(await fetch_value(database, LEFT))
    return left


async def _full_speed(database: Database) -> float:
    """Jobs per second with a backlog; the workers have started before the clock does."""
    await _give(database, 100)
    await _until_done(database, 100)
    began = time.monotonic()
    for _ in range(TRIAL // BATCH):
        await _give(database, BATCH)
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
        await _give(database, BATCH)
        due += BATCH / rate
        await asyncio.sleep(max(0.0, due - time.monotonic()))


async def _give(database: Database, count: int) -> None:
    await enqueue_jobs(database, ["nothing"], [encode({"n": n}) for n in range(count)], {"queue": QUEUE})


async def _watch(
    database: Database, crew: Crew, claims: Claims, began: float, length: timedelta
) -> list[Sample]:
    every = max(0.5, length.total_seconds() / SAMPLES)
    samples: list[Sample] = []
    while (at := time.monotonic() - began) < length.total_seconds():
        crew.check()
        one = await sample(database, crew.pids, claims, at, timedelta(seconds=every))
        if len(samples) % (SAMPLES // TOLD) == 0:
            say(f"soak: {at:.0f} s, {one.jobs} jobs, claim p99 {one.claim:.0f} ms, pick-up {one.pick_up:.0f}")
        samples.append(one)
        await asyncio.sleep(every)
    return samples
