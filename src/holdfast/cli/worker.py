"""`holdfast worker`."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, TypeVar

import typer

from holdfast.cli.app_path import load_app
from holdfast.cli.data_dir import use_data_dir
from holdfast.cli.options import duration
from holdfast.cli.output import say
from holdfast.cli.reload import Reload
from holdfast.cli.session import ensure_schema
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.client.app import Holdfast
from holdfast.client.policy import DEFAULT_QUEUE
from holdfast.db.address import Source
from holdfast.db.embedded import start_embedded
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.worker.report import WorkerReport
from holdfast.worker.signals import stop_on_signals
from holdfast.worker.worker import Worker

T = TypeVar("T")


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(work)


def work(
    context: typer.Context,
    app: Annotated[
        str, typer.Option("--app", "-A", envvar="HOLDFAST_APP", help="Where the app is: package.module:app.")
    ],
    queues: Annotated[
        str | None, typer.Option(help="Such as chat,mail:3 (3 is a weight); else all queues of the app.")
    ] = None,
    slots: Annotated[int, typer.Option(min=1, max=10_000, help="How many jobs run at once.")] = 50,
    group: Annotated[str | None, typer.Option(help="Also claim jobs that name this group.")] = None,
    drain: Annotated[bool, typer.Option("--drain", help="Leave when the queues are empty.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Claim once, finish that, and leave.")] = False,
    lease: Annotated[str, typer.Option(help="After this long without a sign it is taken for lost.")] = "30s",
    grace: Annotated[str, typer.Option(help="How long running jobs may go on after SIGTERM.")] = "25s",
    sweep: Annotated[str, typer.Option(help="How often to look for due jobs and lost workers.")] = "5s",
    stagger: Annotated[str | None, typer.Option(help="Start after a random part of this.")] = None,
    reload: Reload = False,
) -> None:
    """SIGTERM or Ctrl-C: claims nothing more, lets running jobs finish within the grace, and leaves."""
    target = target_of(context)
    start_logging(target, "info")

    def make(loaded: Holdfast) -> Worker:
        return Worker(
            loaded,
            read_queues(queues) if queues else _queues_of(loaded),
            slots=slots,
            group=group,
            lease=parse_duration(lease),
            grace=parse_duration(grace),
            sweep=parse_duration(sweep),
            stagger=duration(stagger) or timedelta(0),
            drain=drain,
            once=once,
            app_path=app,
        )

    with _environment_of(target):
        report = _run(_work(load_app(app), make, target))
    _conclude(report)


async def _work(loaded: Holdfast, make: Callable[[Holdfast], Worker], target: Target) -> WorkerReport:
    worker = make(loaded)
    async with loaded:
        address = loaded.database.address
        if target.database is not None and address.source is Source.GIVEN:
            raise InvalidOption(
                "The app names a database itself, so --database has no effect.",
                "leave out --database, or write app = Holdfast() without a database",
            )
        await ensure_schema(loaded.database, target)
        with stop_on_signals(worker):
            return await worker.run()


@contextmanager
def _environment_of(target: Target) -> Iterator[None]:
    """The app reads the environment, so what the command line says is put there."""
    if target.database is not None:
        os.environ["HOLDFAST_DATABASE_URL"] = target.database
    if target.data_dir is None:
        yield
        return
    use_data_dir(target.data_dir)
    server, url = start_embedded()
    os.environ["HOLDFAST_DATABASE_URL"] = url
    try:
        yield
    finally:
        server.stop()


def _run(work: Coroutine[object, object, T]) -> T:
    """On uvloop where it is installed: a worker with many short jobs gets more done."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _conclude(report: WorkerReport) -> None:
    say(f"holdfast: left after {report.processed} jobs, {report.failed} of them failed")
    if report.unsettled:
        say(f"warning: {report.unsettled} ends could not be sent; those jobs will run again")
        raise typer.Exit(1)


def read_queues(text: str) -> Mapping[str, float]:
    """`chat,mail:3` as names and weights."""
    queues: dict[str, float] = {}
    for part in text.split(","):
        name, colon, weight = part.strip().rpartition(":")
        if not colon:
            name, weight = weight, "1"
        queues[name.strip()] = _weight(weight, part)
    if "" in queues:
        raise InvalidOption(f"--queues {text!r} has an empty name.", "write it as chat,mail:3")
    return queues


def _weight(text: str, part: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise InvalidOption(
            f"The weight in {part!r} is not a number above 0.", "write it as mail:3, or leave it out"
        )
    return weight


def _queues_of(loaded: Holdfast) -> list[str]:
    named = {task.policy.queue for task in loaded.tasks.values()} | loaded.queues.keys()
    return sorted(named) or [DEFAULT_QUEUE]
