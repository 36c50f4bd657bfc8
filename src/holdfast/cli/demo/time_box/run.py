"""The demo itself: a run, a few first workers, and then each worker sends for the next until all is done."""

import asyncio
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.cli.demo.app import MODEL_URL, QUEUE
from holdfast.cli.demo.bar import Bar
from holdfast.cli.demo.model_server import Ledger, ModelServer
from holdfast.cli.demo.run import demo_database, enqueue_questions, progress_of
from holdfast.cli.demo.time_box.host import Host, Log
from holdfast.cli.demo.verdict import Verdict, judge
from holdfast.client.plan import WorkerPlan
from holdfast.db.connect import Database
from holdfast.db.continuations import lost_continuations
from holdfast.db.statement import fetch_value
from holdfast.model.error import Timeout
from holdfast.model.id import RunId
from holdfast.worker.callback import CallbackFailed, Post

BOX = timedelta(seconds=3)
MARGIN = timedelta(milliseconds=600)
# From the start of a process to its record here, and from its end to the sight of it.
NOTICED = timedelta(milliseconds=250)
KILL_EVERY = 20
FAILS, IS_BUSY = 0.08, 0.02
PATIENCE = timedelta(seconds=3)
LOOK_EVERY = 0.25
LONGEST = timedelta(minutes=5)
LONGEST_PER_JOB = timedelta(seconds=0.3)
LINKS = "select count(*) from holdfast.continuation_view where run = $1 and state = 'taken'"
WORKER = (
    *("-A", "holdfast.cli.demo.app:app", "--queues", QUEUE, "--slots", "1"),
    *("--time-box", f"{BOX.total_seconds()}s", "--margin", f"{MARGIN.total_seconds()}s"),
    *("--continue-after", "100ms", "--patience", f"{PATIENCE.total_seconds()}s"),
    *("--lease", "2s", "--sweep", "3s"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    ledger: Ledger
    log: Log
    links: int

    @property
    def outlived(self) -> int:
        """Workers that lived longer than their box, as far as this process can tell."""
        limit = BOX.total_seconds() + self.late
        return sum(life > limit for life in self.log.lives)

    @property
    def late(self) -> float:
        """By how much a life may seem too long: its start, its last instructions and its end each wait for a
        processor that others use.
        """
        return NOTICED.total_seconds() + 3 * self.log.lag


async def run_time_boxes(directory: Path, jobs: int, chains: int) -> Outcome:
    logs = directory / "logs"
    async with demo_database(directory) as (database, url), ModelServer(FAILS, IS_BUSY) as model:
        logs.mkdir()
        run, accepted = await enqueue_questions(database, jobs)
        environment = {"HOLDFAST_DATABASE_URL": url, MODEL_URL: model.url}
        async with Host(WORKER, environment, logs, kill_every(jobs), 2 * chains) as host:
            plan = WorkerPlan(host.url, most=chains, claim_size=-(-jobs // chains), apart="300ms")
            await plan.start(database, run)
            with Bar(jobs) as bar:
                bar.say(f"{jobs} jobs are stored, {chains} workers of {BOX.total_seconds():.0f} s sent for")
                await _watch(database, run, host, bar)
        verdict = await judge(database, run, accepted, model.ledger)
        links = int(await fetch_value(database, LINKS, run))
        return Outcome(verdict, model.ledger, host.log, links)


def kill_every(jobs: int) -> int:
    """Every twentieth worker; a run of few jobs has too few workers for that."""
    return min(KILL_EVERY, max(3, jobs // 50))


async def _watch(database: Database, run: RunId, host: Host, bar: Bar) -> None:
    start, told = time.monotonic(), 0
    progress = await progress_of(database, run)
    limit = (LONGEST + progress.total * LONGEST_PER_JOB).total_seconds()
    while progress.ended_at is None:
        if time.monotonic() - start > limit:
            raise Timeout(f"The run did not end in {limit:.0f} s.", "try again on a machine with less to do")
        await asyncio.sleep(LOOK_EVERY)
        await _look(database, host)
        progress = await progress_of(database, run)
        bar.show(progress.ended)
        if host.log.killed > told:
            told = host.log.killed
            bar.say(f"kill -9: {told} of {host.log.started} workers so far, {host.alive} at work")


async def _look(database: Database, host: Host) -> None:
    """As a timer of the platform would do it: the last worker of all may be the one that was killed."""
    for body in await lost_continuations(database, [QUEUE], None, PATIENCE):
        try:
            await Post(host.url)(body)
        except CallbackFailed:
            continue  # the next look finds it again
