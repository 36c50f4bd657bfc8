"""`holdfast chaos --soak HOURS`: steady work at half of full speed, and what grows meanwhile."""

import asyncio
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from holdfast.cli.chaos.bare import bare
from holdfast.cli.chaos.gauges import Sample, pick_up_p99, sample
from holdfast.cli.chaos.part import QUEUE
from holdfast.cli.chaos.slopes import report_slopes
from holdfast.cli.crew import Crew
from holdfast.cli.output import say
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import fetch_value
from holdfast.model.payload import encode

WORKER = ("-A", "holdfast.cli.chaos.soak_app:app", "--slots", "50", "--stagger", "0s")
TRIAL = 10_000  # jobs, to learn the full speed
BATCH = 100
SAMPLES = 100
DONE = "select count(*) from holdfast.history"


def soak_for(length: timedelta, workers: int) -> bool:
    """True if nothing grew that must not grow."""
    with tempfile.TemporaryDirectory(prefix="holdfast-soak-") as directory:
        return asyncio.run(_soak(Path(directory), length, workers))


async def _soak(directory: Path, length: timedelta, workers: int) -> bool:
    async with bare(directory, workers, WORKER, "holdfast soak") as (database, crew):
        full = await _full_speed(database)
        say(f"soak: full speed is {full:.0f} jobs/s; {length.total_seconds():.0f} s at half of it")
        began, since = time.monotonic(), datetime.now(UTC)
        producer = asyncio.create_task(_produce(database, full / 2, began + length.total_seconds()))
        samples = await _watch(database, crew, began, length)
        await producer
        # The first tenth is left out: caches fill, pools open.
        first = await pick_up_p99(database, since + length / 10, since + length / 5)
        last = await pick_up_p99(database, since + 0.9 * length, since + length)
        steady = [one for one in samples if one.at >= samples[-1].at / 10]
        return report_slopes(steady, first, last)


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


async def _watch(database: Database, crew: Crew, began: float, length: timedelta) -> list[Sample]:
    every = max(0.5, length.total_seconds() / SAMPLES)
    samples: list[Sample] = []
    while (at := time.monotonic() - began) < length.total_seconds():
        crew.check()
        samples.append(await sample(database, crew.pids, at))
        await asyncio.sleep(every)
    return samples
