"""The demo itself: posts enter, agents decide, workers are killed at intervals, and all of it is judged."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from holdfast.cli.crew import Crew
from holdfast.cli.demo.bar import Bar
from holdfast.cli.demo.pipeline.app import KILLS, MODEL_URL, posts_app
from holdfast.cli.demo.pipeline.mind import Mind
from holdfast.cli.demo.pipeline.posts import post_of
from holdfast.cli.demo.pipeline.record import read_record
from holdfast.cli.demo.pipeline.verdict import Verdict, judge
from holdfast.cli.demo.run import demo_database, progress_of
from holdfast.db.connect import Database
from holdfast.db.statement import fetch_value
from holdfast.model.error import NotConfigured, Timeout
from holdfast.model.id import RunId
from holdfast.testing.model_server.server import ModelServer
from holdfast.testing.model_server.thread import ThreadedModelServer

# The slots of all workers are more than the stages allow: it is the limits that hold them back.
WORKER = (
    *("-A", "holdfast.cli.demo.pipeline.at_work:app", "--slots", "4"),
    *("--lease", "4s", "--sweep", "1s", "--grace", "5s"),
)
SLOTS = 16
THINKS = timedelta(milliseconds=12)
TOKENS_PER_SECOND = 5000
POSTS_PER_KILL = 100
LOOK_EVERY = 0.1
PATIENCE = timedelta(minutes=3)
PATIENCE_PER_POST = timedelta(seconds=1)
# The worker whose death would cost the most, were what it has saved not kept.
DEAREST = """
select w.pid
from holdfast.jobs as j
join holdfast.workers as w on w.id = j.worker_id
join holdfast.calls as c on c.job_id = j.id and c.attempt = j.attempt
where j.state = 'running' and w.pid = any ($1)
group by w.pid
order by count(*) desc
limit 1
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    calls: int
    killed: int


async def run_pipeline(directory: Path, posts: int, workers: int) -> Outcome:
    if find_spec("httpx2") is None:
        raise NotConfigured(
            "Agents need the package httpx2.", "install it: pip install 'holdfast-queue[agents]'"
        )
    logs, mind = directory / "logs", Mind()
    async with demo_database(directory) as (database, url):
        logs.mkdir()
        # Not later than the ledger's beginning: a call of the ledger is never taken for later than it was.
        begin = datetime.now(UTC)
        with _model_server(mind) as model:
            run, accepted = await _enqueue(url, model.url, posts)
            # The model server is on this machine, whatever proxy the environment names.
            environment = {"HOLDFAST_DATABASE_URL": url, MODEL_URL: model.url, "NO_PROXY": "127.0.0.1"}
            async with Crew(WORKER, environment, logs) as crew:
                pids = [crew.start() for _ in range(workers)]
                with Bar(posts) as bar:
                    bar.say(f"{posts} posts are stored, worker processes started: {_words(pids)}")
                    await _watch(database, run, crew, bar)
        record = await read_record(database, model.ledger, begin, mind)
        return Outcome(judge(record, accepted), len(model.ledger), crew.killed)


def _model_server(mind: Mind) -> ThreadedModelServer:
    return ModelServer.in_thread(
        answer=mind.answer, base=THINKS, tokens_per_second=TOKENS_PER_SECOND, slots=SLOTS
    )


async def _enqueue(url: str, model_url: str, posts: int) -> tuple[RunId, list[str]]:
    app, way_in = posts_app(model_url, url)
    async with app:
        await app.declare()
        async with app.run("demo") as run:
            calls = [way_in.call(**post_of(number)) for number in range(posts)]
            handles = await way_in.options(run=run).enqueue_many(calls)
        return run.id, [str(handle.id) for handle in handles]


async def _watch(database: Database, run: RunId, crew: Crew, bar: Bar) -> None:
    start = time.monotonic()
    progress = await progress_of(database, run)
    patience = (PATIENCE + progress.total * PATIENCE_PER_POST).total_seconds()
    kills = max(1, min(KILLS, progress.total // POSTS_PER_KILL))
    while progress.ended_at is None:
        if crew.killed < kills and progress.ended >= progress.total * (crew.killed + 1) // (kills + 1):
            await _kill(database, crew, bar)
        crew.check()
        if time.monotonic() - start > patience:
            raise Timeout(
                f"The posts did not end in {patience:.0f} s.", "try again on a machine with less to do"
            )
        await asyncio.sleep(LOOK_EVERY)
        progress = await progress_of(database, run)
        bar.show(progress.ended)


async def _kill(database: Database, crew: Crew, bar: Bar) -> None:
    """If none has saved anything at the moment, the next look finds one that has."""
    dearest = await fetch_value(database, DEAREST, crew.pids)
    if dearest is not None:
        killed, new = crew.kill_one(int(dearest)), crew.start()
        bar.say(f"kill -9 {killed}: a worker is gone with the posts that it was at; {new} takes its place")


def _words(pids: Iterable[int]) -> str:
    return ", ".join(map(str, pids))
