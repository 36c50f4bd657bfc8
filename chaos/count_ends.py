"""`./dev chaos --jobs N --kill-every S`: runs N jobs, kills workers, and expects exactly N ends."""

import asyncio
import json
import random
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from chaos.miscounted_ends import miscounted_ends
from chaos.output import say, write
from chaos.steady_cluster import start_steady_cluster
from chaos.workload import QUEUE
from holdfast.db.connect import Database, connect
from holdfast.db.invariants import check_invariants
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import fetch_row, fetch_value
from holdfast.model.payload import encode
from holdfast.testing.supervisor import Supervisor

LEASE = timedelta(seconds=5)
SWEEP = timedelta(seconds=1)
WORKER = (
    *("-A", "chaos.soak.app:app", "--slots", "50", "--stagger", "0s"),
    *("--lease", f"{LEASE.total_seconds():g}s", "--sweep", f"{SWEEP.total_seconds():g}s"),
)
BATCH = 1000
BACKLOG = 50_000  # jobs ahead of the workers: enough for all of them, and the table stays small
PATIENCE = 120.0  # seconds without a single end
REPORT_EVERY = 10.0
# Every job carries a number, so that a job that ended twice or never changes one of the counts.
FOUND = """
select
  count(*) as ends,
  count(distinct id) as jobs,
  count(distinct (output #>> '{}')::integer) as numbers,
  count(*) filter (where state <> 'completed') as not_completed,
  coalesce(sum(losses), 0)::bigint as losses,
  (select count(*) from holdfast.jobs) as live
from holdfast.history
"""
DONE = "select count(*) from holdfast.history"


@dataclass(frozen=True, slots=True)
class Counted:
    """`numbers`: of how many different jobs there is an output. `violations`: of the invariants."""

    jobs: int
    ends: int
    ended_jobs: int
    numbers: int
    not_completed: int
    live: int
    losses: int
    kills: int
    violations: int
    seconds: float

    @property
    def is_good(self) -> bool:
        return (self.ends, self.ended_jobs, self.numbers) == (self.jobs,) * 3 and not (
            self.not_completed or self.live or self.violations
        )


def count_ends(
    jobs: int, workers: int, kill_every: timedelta, seed: int, report: Path | None, *, as_json: bool
) -> bool:
    """True if every job has exactly one end."""
    say(f"chaos: seed {seed}, {jobs} jobs, {workers} workers, a kill every {kill_every.total_seconds():g} s")
    with tempfile.TemporaryDirectory(prefix="holdfast-count-") as directory:
        found = asyncio.run(_count(Path(directory), jobs, workers, kill_every, random.Random(seed)))
    if as_json:
        write([json.dumps({**asdict(found), "passed": found.is_good})])
    else:
        write([_line(found)])
    if report is not None:
        report.write_text(f"{_line(found)}\n")
    return found.is_good


def _line(found: Counted) -> str:
    return (
        f"chaos: {found.jobs} jobs, {found.ends} ends of {found.ended_jobs} jobs, {found.numbers} outputs,"
        f" {found.not_completed} not completed, {found.live} live, {found.losses} losses,"
        f" {found.kills} kills, {found.violations} wrong;"
        f" {found.jobs / found.seconds:.0f} jobs/s for {found.seconds:.0f} s"
    )


async def _count(
    directory: Path, jobs: int, workers: int, kill_every: timedelta, rng: random.Random
) -> Counted:
    async with start_steady_cluster(directory, workers, WORKER, "holdfast chaos") as (database, supervisor):
        began = time.monotonic()
        progress = Progress(jobs)
        tasks = [
            asyncio.create_task(_kill(supervisor, kill_every, rng)),
            asyncio.create_task(_produce(database, progress)),
        ]
        try:
            await _until_done(database, supervisor, progress, tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        seconds = time.monotonic() - began
        say("chaos: checking")
        return await _check(database, jobs, supervisor.killed, seconds)


async def _kill(supervisor: Supervisor, every: timedelta, rng: random.Random) -> None:
    while True:
        await asyncio.sleep(every.total_seconds())
        supervisor.kill(rng.choice(supervisor.pids))
        supervisor.start()


async def _produce(database: Database, progress: "Progress") -> None:
    for first in range(0, progress.jobs, BATCH):
        await progress.until_ended(first - BACKLOG)
        numbers = range(first, min(progress.jobs, first + BATCH))
        await enqueue_jobs(database, ["nothing"], [encode({"n": n}) for n in numbers], {"queue": QUEUE})


async def _until_done(
    database: Database, supervisor: Supervisor, progress: "Progress", tasks: "list[asyncio.Task[None]]"
) -> None:
    """Gives up when no job ends any more: the check then reports what is missing."""
    reported = time.monotonic()
    while progress.ended < progress.jobs and progress.is_moving:
        await asyncio.sleep(1)
        supervisor.check()
        progress.note(int(await fetch_value(database, DONE)))
        for task in tasks:
            if task.done():
                task.result()  # raises if it broke
        if time.monotonic() - reported > REPORT_EVERY:
            reported = time.monotonic()
            say(f"chaos: {progress.ended} of {progress.jobs} ended, {supervisor.killed} workers killed")


class Progress:
    """How many jobs have ended, for the tasks that wait for it."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.ended = 0
        self._moved_at = time.monotonic()
        self._news = asyncio.Event()

    @property
    def is_moving(self) -> bool:
        return time.monotonic() - self._moved_at < PATIENCE

    def note(self, ended: int) -> None:
        if ended != self.ended:
            self.ended, self._moved_at = ended, time.monotonic()
            self._news.set()

    async def until_ended(self, count: int) -> None:
        while self.ended < count:
            self._news.clear()
            await self._news.wait()


async def _check(database: Database, jobs: int, kills: int, seconds: float) -> Counted:
    """On a connection of its own, without a statement timeout."""
    connection = await connect(database.address, "holdfast chaos, checking")
    try:
        row = await fetch_row(connection, FOUND)
        assert row is not None
        wrong = await check_invariants(connection, 10 * jobs, LEASE + 2 * SWEEP)
        miscounted = await miscounted_ends(connection)
    finally:
        await connection.close(timeout=5)
    for one in wrong[:20]:
        say(f"wrong: {one.name}: {one.job or ''} {one.detail}")
    for what in miscounted:
        say(f"wrong: statistics: {what}")
    return Counted(
        jobs,
        row["ends"],
        row["jobs"],
        row["numbers"],
        row["not_completed"],
        row["live"],
        row["losses"],
        kills,
        len(wrong) + len(miscounted),
        seconds,
    )
