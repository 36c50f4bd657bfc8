"""The demo itself: enqueue, watch, kill a worker when a third is done, wait for the end, judge."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.cli.crew import Crew
from holdfast.cli.demo.app import MODEL_URL, QUEUE, answer
from holdfast.cli.demo.bar import Bar
from holdfast.cli.demo.model_server import Ledger, ModelServer
from holdfast.cli.demo.verdict import Verdict, judge
from holdfast.db import jobs as jobs_db
from holdfast.db import runs as runs_db
from holdfast.db.connect import Database
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import NotFound, Timeout
from holdfast.model.id import JobId, RunId
from holdfast.model.run import RunProgress

# The lease is short, so that nobody has to wait for the rescue; 30 s is the default.
WORKER = (
    "-A",
    "holdfast.cli.demo.app:app",
    "--queues",
    QUEUE,
    "--slots",
    "2",
    "--lease",
    "3s",
    "--sweep",
    "1s",
    "--grace",
    "2s",
)
LOOK_EVERY = 0.05
# A job that is put off ten times takes seconds, a run of very many takes minutes.
PATIENCE = timedelta(seconds=120)
PATIENCE_PER_JOB = timedelta(seconds=0.5)


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    ledger: Ledger
    killed: int


async def run_demo(directory: Path, jobs: int, workers: int) -> Outcome:
    async with demo_database(directory) as (database, url), ModelServer() as model:
        logs = directory / "logs"
        logs.mkdir()
        async with Crew(WORKER, {"HOLDFAST_DATABASE_URL": url, MODEL_URL: model.url}, logs) as crew:
            run, accepted = await enqueue_questions(database, jobs)
            pids = [crew.start() for _ in range(workers)]
            with Bar(jobs) as bar:
                bar.say(f"{jobs} jobs are stored, worker processes started: {', '.join(map(str, pids))}")
                await _watch(database, run, crew, bar)
        verdict = await judge(database, run, accepted, model.ledger)
        return Outcome(verdict, model.ledger, crew.killed)


@asynccontextmanager
async def demo_database(directory: Path) -> AsyncIterator[tuple[Database, str]]:
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    try:
        async with Database(url, application_name="holdfast demo") as database:
            async with database.connection() as connection:
                await migrate(connection)
            yield database, url
    finally:
        await asyncio.to_thread(server.stop)


async def enqueue_questions(database: Database, jobs: int) -> tuple[RunId, list[JobId]]:
    run = await runs_db.start_run(database, "demo")
    payloads = [answer.call(f"What is the answer to question {number}?").payload for number in range(jobs)]
    stored = await jobs_db.enqueue_jobs(database, [answer.name], payloads, {**answer.wire, "run": str(run)})
    await runs_db.seal_run(database, run)
    return run, [job.id for job in stored]


async def _watch(database: Database, run: RunId, crew: Crew, bar: Bar) -> None:
    start = time.monotonic()
    progress = await progress_of(database, run)
    patience = (PATIENCE + progress.total * PATIENCE_PER_JOB).total_seconds()
    while progress.ended_at is None:
        if not crew.killed and progress.ended >= progress.total // 3 and progress.running:
            killed, new = crew.kill_one(), crew.start()
            bar.say(f"kill -9 {killed}: a worker is gone with the jobs that it was at; {new} takes its place")
        crew.check()
        if time.monotonic() - start > patience:
            raise Timeout(
                f"The run did not end in {patience:.0f} s.", "try again on a machine with less to do"
            )
        await asyncio.sleep(LOOK_EVERY)
        progress = await progress_of(database, run)
        bar.show(progress.ended)


async def progress_of(database: Database, run: RunId) -> RunProgress:
    found = await runs_db.run_progress(database, run)
    if found is None:
        raise NotFound(f"The run {run} of the demo has vanished.")
    return found
