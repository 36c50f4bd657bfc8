"""Runs the application: model servers, posts, worker processes of which some are killed, and the verdict."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from json import dumps
from urllib.request import ProxyHandler, Request, build_opener

from examples.display import Display
from examples.options import Options
from examples.posts_pipeline.app import ADDRESSES, DATABASE, RETRY_DELAYS, STAGES, posts_app
from examples.posts_pipeline.checks import check_all, most_at_once
from examples.posts_pipeline.model import Models, Post
from examples.posts_pipeline.record import Record, read_record
from examples.verdict import Check, Verdict
from holdfast import Holdfast, PipelineHandle, Run, Timeout
from holdfast.cli.demo.dashboard_process import logs_in
from holdfast.testing import ModelServer
from holdfast.testing.model_server import ChatRequest
from holdfast.testing.supervisor import Supervisor

FAULTS = ("delete-row", "double-reply")

# Each worker has room for more than it gets: the limits of the stages hold them back.
WORKER = (
    *("holdfast", "worker", "-A", "examples.posts_pipeline.app:app"),
    *("--slots", "5", "--sweep", "1s", "--grace", "5s"),
)
LOOK_EVERY = 0.2
# The worker that has saved the most answers of jobs it still runs: the most would be lost with it.
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
DELETE_ROW = """
delete from holdfast.history
where id = (select id from holdfast.history order by id limit 1)
"""


@dataclass(frozen=True, slots=True)
class Size:
    posts: int
    workers: int
    kills: int
    delays: tuple[timedelta, ...]
    lease: str
    patience: timedelta
    fast: timedelta = timedelta(seconds=0.1)  # how long a call of the small model takes, and of the large one
    slow: timedelta = timedelta(seconds=0.4)


DELAYS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
SMALL = Size(
    posts=60,
    workers=3,
    kills=1,
    delays=tuple(delay / 100 for delay in DELAYS),
    lease="10s",
    patience=timedelta(minutes=10),
)
FULL = Size(
    posts=1000,
    workers=4,
    kills=3,
    delays=DELAYS,
    lease="5m",
    patience=timedelta(hours=2),
)


async def main(options: Options) -> Verdict:
    size, models = FULL if options.full else SMALL, Models()
    async with _model_server(models, size.fast) as small, _model_server(models, size.slow) as large:
        servers = {"llama3.1:8b": small, "llama3.1:70b": large}
        environment = {
            DATABASE: options.database_url,
            ADDRESSES["ollama-8001"]: small.url,
            ADDRESSES["ollama-8002"]: large.url,
            RETRY_DELAYS: ",".join(f"{delay.total_seconds():g}" for delay in size.delays),
            "NO_PROXY": "127.0.0.1",  # whatever proxy the machine has, it does not lead to these servers
        }
        app, pipeline = posts_app(environment)
        async with app:
            await app.declare()
            run, posts = await _enqueue(app, pipeline, size.posts)
            killed = await _work(app, run, size, environment, options)
            await _plant(options.plant, app, models, servers)
            record = await read_record(app.database, [small.ledger, large.ledger], models)
    _show_stages(record, options.display)
    survived = Check("work survived a killed worker", killed == size.kills, _deaths(killed, record))
    return Verdict([*check_all(record, posts, size.delays), survived])


def _model_server(models: Models, thinks: timedelta) -> ModelServer:
    return ModelServer(answer=models.answer, base=thinks, tokens_per_second=10_000, slots=8)


async def _enqueue(app: Holdfast, pipeline: PipelineHandle, count: int) -> tuple[Run, dict[str, Post]]:
    posts = [Post.of(number) for number in range(count)]
    async with app.run("posts") as run:
        calls = [pipeline.call(**post.payload) for post in posts]
        handles = await pipeline.options(run=run).enqueue_many(calls)
    return run, {str(handle.id): post for handle, post in zip(handles, posts, strict=True)}


async def _work(app: Holdfast, run: Run, size: Size, environment: Mapping[str, str], options: Options) -> int:
    """Until all posts have ended. Kills workers on the way, replaces them, and returns how many it killed."""
    logs, display, start = logs_in(options.directory, "workers"), options.display, time.monotonic()
    kill_after = [size.posts * number // (size.kills + 1) for number in range(1, size.kills + 1)]
    async with Supervisor((*WORKER, "--lease", size.lease), environment, logs) as supervisor:
        pids = ", ".join(str(supervisor.start().pid) for _ in range(size.workers))
        display.say(f"{size.posts} posts are enqueued, {size.workers} worker processes: {pids}")
        with display.progress("posts", size.posts) as steps:
            while (progress := await run.progress()).ended_at is None:
                steps.show(progress.ended)
                if supervisor.killed < size.kills and progress.ended >= kill_after[supervisor.killed]:
                    await _kill(app, supervisor, display)
                supervisor.check()
                if time.monotonic() - start > size.patience.total_seconds():
                    raise Timeout(f"{size.posts - progress.ended} posts did not end in {size.patience}.")
                await asyncio.sleep(LOOK_EVERY)
            steps.show(progress.ended)
        return supervisor.killed


async def _kill(app: Holdfast, supervisor: Supervisor, display: Display) -> None:
    """If none has saved anything at the moment, the next look finds one that has."""
    for (pid,) in await app.database.fetch(DEAREST, supervisor.pids):
        killed, new = supervisor.kill(pid), supervisor.start()
        display.say(f"kill -9 {killed}: its posts wait until its lease ends; {new.pid} replaces it")


async def _plant(
    fault: str | None, app: Holdfast, models: Models, servers: Mapping[str, ModelServer]
) -> None:
    match fault, models.first:
        case "delete-row", _:
            await app.database.execute(DELETE_ROW)
        case "double-reply", ChatRequest() as asked:
            server = servers[asked.model]
            headers = {"Content-Type": "application/json", "Idempotency-Key": asked.key or ""}
            request = Request(server.url + asked.path, dumps(asked.document).encode(), headers)
            await asyncio.to_thread(build_opener(ProxyHandler({})).open, request)
        case _:
            pass


def _show_stages(record: Record, display: Display) -> None:
    served = most_at_once(record)
    display.say("stage      model         limit  most jobs  most calls at once")
    for name, stage in STAGES.items():
        limit, leased = stage.max_concurrent, record.leased.get(name, 0)
        display.say(f"{name:<9}  {stage.model:<12}  {limit:>5}  {leased:>9}  {served[name]:>10}")


def _deaths(killed: int, record: Record) -> str:
    return f"{killed} killed, {record.lost.total()} attempts resumed by another"
