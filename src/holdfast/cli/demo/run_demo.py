"""The demo itself: enqueue, watch, kill a worker when a third is done, wait for the end, judge.

The dashboard shows it all while it runs.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.cli.demo.app import MODEL_URL, QUEUE, answer
from holdfast.cli.demo.bar import Bar
from holdfast.cli.demo.dashboard_process import dashboard_of, logs_in
from holdfast.cli.demo.verdict import Verdict, judge
from holdfast.db import jobs as jobs_db
from holdfast.db import runs as runs_db
from holdfast.db.connect import Database
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import NotFound, Timeout
from holdfast.model.id import JobId, RunId
from holdfast.model.run_progress import RunProgress
from holdfast.testing.model_server.answer import ChatRequest
from holdfast.testing.model_server.ledger import Ledger, Outcome
from holdfast.testing.model_server.server import ModelServer
from holdfast.testing.supervisor import Supervisor

# The lease is short, so that the rescue comes soon; 30 s is the default.
WORKER = ["holdfast", "worker", "-A", "holdfast.cli.demo.app:app", "--queues", QUEUE, "--slots", "2"]
WORKER += ["--lease", "3s", "--sweep", "1s", "--grace", "2s"]
LOOK_EVERY = 0.05
# A job that is put off ten times takes seconds, a run of very many takes minutes.
PATIENCE = timedelta(seconds=120)
PATIENCE_PER_JOB = timedelta(seconds=0.5)


class FlakyModel:
    """The simulated model server with answers that only its callers can know, the same for the same key."""

    def __init__(self) -> None:
        self._answers: dict[str, str] = {}
        self.server = ModelServer(
            seed=secrets.randbits(32),
            base="60ms",
            spread=0.5,
            slots=20,
            noise=0.08,
            busy=0.04,
            answer=self._answer,
        )

    @property
    def ledger(self) -> Ledger:
        return self.server.ledger

    @property
    def delivered(self) -> dict[str, str]:
        """The answers that reached their caller, by idempotency key."""
        keys = {call.key for call in self.ledger if call.outcome is Outcome.ANSWERED}
        return {key: text for key, text in self._answers.items() if key in keys}

    def _answer(self, request: ChatRequest) -> str:
        text = f"{request.question} -> {secrets.token_hex(8)}"
        return self._answers.setdefault(request.key or "", text)


@dataclass(frozen=True, slots=True)
class Result:
    verdict: Verdict
    ledger: Ledger


# What to do with the result while the dashboard is still there, at this address.
Linger = Callable[[Result, str], Awaitable[None]]


async def run_demo(directory: Path, jobs: int, workers: int, linger: Linger | None = None) -> Result:
    model = FlakyModel()
    async with (
        model.server,
        _database(directory) as (database, url),
        dashboard_of(url, directory) as address,
    ):
        environment = {"HOLDFAST_DATABASE_URL": url, MODEL_URL: model.server.url}
        async with Supervisor(WORKER, environment, logs_in(directory, "workers")) as supervisor:
            run, accepted = await _enqueue_questions(database, jobs)
            pids = [str(supervisor.start().pid) for _ in range(workers)]
            with Bar(jobs) as bar:
                bar.say(f"watch it in a browser: {address}")
                bar.say(f"{jobs} jobs are stored, worker processes started: {', '.join(pids)}")
                await _watch(database, run, supervisor, bar)
        verdict = await judge(database, run, accepted, model.delivered, supervisor.killed)
        result = Result(verdict, model.ledger)
        if linger is not None:
            await linger(result, address)
        return result


@asynccontextmanager
async def _database(directory: Path) -> AsyncIterator[tuple[Database, str]]:
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    try:
        async with Database(url, application_name="holdfast demo") as database:
            async with database.connection() as connection:
                await migrate(connection)
            yield database, url
    finally:
        await asyncio.to_thread(server.stop)


async def _enqueue_questions(database: Database, jobs: int) -> tuple[RunId, list[JobId]]:
    run = await runs_db.start_run(database, "demo")
    payloads = [answer.call(f"What is the answer to question {number}?").payload for number in range(jobs)]
    stored = await jobs_db.enqueue_jobs(database, [answer.name], payloads, {**answer.wire, "run": str(run)})
    await runs_db.seal_run(database, run)
    return run, [job.id for job in stored]


async def _watch(database: Database, run: RunId, supervisor: Supervisor, bar: Bar) -> None:
    start = time.monotonic()
    progress = await _progress(database, run)
    patience = (PATIENCE + progress.total * PATIENCE_PER_JOB).total_seconds()
    while progress.ended_at is None:
        if not supervisor.killed and progress.ended >= progress.total // 3 and progress.running:
            killed, new = supervisor.kill(), supervisor.start().pid
            bar.say(f"kill -9 {killed}, a worker in the middle of its jobs; started {new} instead")
        supervisor.check()
        if time.monotonic() - start > patience:
            raise Timeout(
                f"The run did not end within {patience:.0f} s.", "try again when the machine is less busy"
            )
        await asyncio.sleep(LOOK_EVERY)
        progress = await _progress(database, run)
        bar.show(progress.ended)


async def _progress(database: Database, run: RunId) -> RunProgress:
    found = await runs_db.run_progress(database, run)
    if found is None:
        raise NotFound(f"The run {run} of the demo no longer exists.")
    return found
