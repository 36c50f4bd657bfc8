"""`holdfast worker`."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TypeVar

import typer

from holdfast.cli import worker_options as given
from holdfast.cli.app_path import load_app
from holdfast.cli.data_dir import use_data_dir
from holdfast.cli.early_end import EndOfProcess
from holdfast.cli.last_resort import LastResort
from holdfast.cli.output import say
from holdfast.cli.reload import Reload
from holdfast.cli.session import ensure_schema, prepare_embedded
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.cli.team import MEMBER, Team, Wanted, command_of, needed
from holdfast.cli.worker_settings import WorkerSettings
from holdfast.client.app import Holdfast
from holdfast.db.address import Source
from holdfast.db.embedded import start_embedded
from holdfast.model.error import InvalidOption
from holdfast.worker.leash import Leash
from holdfast.worker.main_loop import run_main
from holdfast.worker.report import WorkerReport, work_report
from holdfast.worker.signals import stop_on_signals
from holdfast.worker.suspects import QUEUE

T = TypeVar("T")


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(work)


def work(
    context: typer.Context,
    app: given.App,
    queues: given.Queues = None,
    slots: given.Slots = 50,
    group: given.Group = None,
    drain: given.Drain = False,
    once: given.Once = False,
    lease: given.Lease = None,
    grace: given.Grace = "25s",
    sweep: given.Sweep = "5s",
    stagger: given.Stagger = None,
    claim_size: given.ClaimSize = "auto",
    processes: given.Processes = "1",
    max_processes: given.MaxProcesses = None,
    time_box: given.TimeBox = None,
    margin: given.Margin = None,
    continue_post: given.ContinuePost = None,
    continue_header: given.ContinueHeader = None,
    continue_command: given.ContinueCommand = None,
    continue_after: given.ContinueAfter = "1s",
    patience: given.Patience = "30s",
    continuation: given.Continuation = None,
    run: given.Run = None,
    reload: Reload = False,
) -> None:
    """SIGTERM or Ctrl-C: claims nothing more, lets running jobs finish within the grace, and leaves."""
    target, settings = target_of(context), WorkerSettings.of(context.params)
    start_logging(target, "info")
    wanted = Wanted.parse(processes, max_processes)
    with _environment_of(target):
        if QUEUE in os.environ:
            raise typer.Exit(_run(_work_for_suspects(Leash(), app, settings)))
        if not wanted.is_one and MEMBER not in os.environ:
            raise typer.Exit(_run(_lead(load_app(app), settings, wanted, target)))
        report = _run(_work(load_app(app), settings, target))
    _conclude(report, settings.time_box is not None)


async def _lead(loaded: Holdfast, settings: WorkerSettings, wanted: Wanted, target: Target) -> int:
    """This process only keeps the others; each is a worker with the same options."""
    async with loaded:
        await ensure_schema(loaded.database, target)
        names, database = list(settings.queues_of(loaded)), loaded.database
        return await Team(sys.argv[1:], wanted, lambda: needed(database, names, settings.slots)).work()


async def _work(loaded: Holdfast, settings: WorkerSettings, target: Target) -> WorkerReport:
    worker = settings.worker(loaded, command_of(sys.argv[1:]))
    async with loaded:
        address = loaded.database.address
        if target.database is not None and address.source is Source.GIVEN:
            raise InvalidOption(
                "The app names a database itself, so --database has no effect.",
                "leave out --database, or write app = Holdfast() without a database",
            )
        await ensure_schema(loaded.database, target)
        last_resort = LastResort(worker, address)
        with stop_on_signals(worker, last_resort.signalled):
            try:
                return await worker.run()
            finally:
                EndOfProcess.due = monotonic() + worker.grace_left.total_seconds()


async def _work_for_suspects(leash: Leash, app: str, settings: WorkerSettings) -> int:
    """A child of another worker, which has checked what there is to check."""
    loaded = load_app(app)
    worker = settings.suspect_worker(loaded, os.environ.pop(QUEUE), leash.ready)
    async with loaded:
        leash.obey(worker, LastResort(worker, loaded.database.address).signalled)
        try:
            await worker.run()
        finally:
            EndOfProcess.due = monotonic() + worker.grace_left.total_seconds()
    return 0


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
        asyncio.run(prepare_embedded(url))
        yield
    finally:
        server.stop()


def _run(work: Coroutine[object, object, T]) -> T:
    """On uvloop where it is installed: a worker with many short jobs gets more done."""
    # Not inside the except block: every exception of a handler would name this one as its context.
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    with suppress(ImportError):
        import uvloop

        new_loop = uvloop.new_event_loop
    return run_main(work, new_loop)


def _conclude(report: WorkerReport, had_box: bool) -> None:
    rest = ""
    if had_box:
        EndOfProcess.code = 1 if report.unsettled else 0  # if its time is up before it has left
        done = work_report(report)
        rest = f"; {done.status}: {done.released} released, {_number(done.remaining)} remaining"
    attempts = f"{report.processed} attempt{'' if report.processed == 1 else 's'}"
    say(f"holdfast: left after {attempts}, {report.failed} of them failed{rest}")
    if report.unsettled:
        say(f"warning: {report.unsettled} ends could not be sent; those jobs will run again")
        raise typer.Exit(1)


def _number(count: int | None) -> str:
    return "an unknown number" if count is None else str(count)
