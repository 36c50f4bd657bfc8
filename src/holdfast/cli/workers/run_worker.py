"""`holdfast worker`."""

import os
import sys
from functools import partial
from time import monotonic

import typer

from holdfast.cli.frame.fast_loop import run_on_fast_loop
from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import say
from holdfast.cli.frame.session import ensure_schema, environment_of, refuse_two_databases
from holdfast.cli.workers.forced_exit import LastResort
from holdfast.cli.workers.load_app import load_app
from holdfast.cli.workers.reload import Reload
from holdfast.cli.workers.time_box_exit import EndOfProcess
from holdfast.cli.workers.worker_processes import MEMBER, Team, Wanted, command_of, needed
from holdfast.cli.workers.worker_settings import WorkerSettings
from holdfast.client.app import Holdfast
from holdfast.model.human_readable import counted
from holdfast.telemetry.log_setup import log_modules, share_log
from holdfast.worker.shutdown.signals import stop_on_signals
from holdfast.worker.suspects.parent_link import ParentLink
from holdfast.worker.suspects.suspect_workers import QUEUE
from holdfast.worker.worker_report import WorkerReport, work_report


@takes(settings=WorkerSettings)
def run_worker(context: typer.Context, settings: WorkerSettings, reload: Reload = False) -> None:
    """On SIGTERM or Ctrl-C the worker starts no more jobs, waits up to
    --grace for running jobs, and exits. Jobs that have not finished by then run again on another worker.
    """
    target = target_of(context)
    start_logging(target, "info")
    share_log(target.log_level or "info", target.log_format)
    wanted = Wanted.parse(settings.processes, settings.max_processes)
    with environment_of(target):
        if QUEUE in os.environ:
            raise typer.Exit(run_on_fast_loop(_work_for_suspects(ParentLink(), settings, target)))
        if not wanted.is_one and MEMBER not in os.environ:
            raise typer.Exit(run_on_fast_loop(_lead(_load(settings.app, target), settings, wanted, target)))
        report = run_on_fast_loop(_work(_load(settings.app, target), settings, target))
    _conclude(report, settings.time_box is not None)


def _load(path: str, target: Target) -> Holdfast:
    loaded = load_app(path)
    handlers = [task.handler.__module__ for task in loaded.tasks.values()]
    log_modules([path.partition(":")[0], *handlers], target.log_level or "info")
    return loaded


async def _lead(loaded: Holdfast, settings: WorkerSettings, wanted: Wanted, target: Target) -> int:
    """This process only supervises the others; each is a worker with the same options."""
    async with loaded:
        await ensure_schema(loaded.database, target)
        names, database = list(settings.queues_of(loaded)), loaded.database
        need = partial(needed, database, names, settings.slots, settings.group)
        return await Team(sys.argv[1:], wanted, need).work()


async def _work(loaded: Holdfast, settings: WorkerSettings, target: Target) -> WorkerReport:
    worker = settings.worker(loaded, command_of(sys.argv[1:]))
    async with loaded:
        refuse_two_databases(loaded.database, target)
        await ensure_schema(loaded.database, target)
        last_resort = LastResort(worker, loaded.database.address)
        with stop_on_signals(worker, last_resort.signalled):
            try:
                return await worker.run()
            finally:
                EndOfProcess.due = monotonic() + worker.grace_left.total_seconds()


async def _work_for_suspects(parent: ParentLink, settings: WorkerSettings, target: Target) -> int:
    """A child of another worker, which has checked the options already."""
    loaded = _load(settings.app, target)
    worker = settings.suspect_worker(loaded, os.environ.pop(QUEUE), parent.ready)
    async with loaded:
        parent.obey(worker, LastResort(worker, loaded.database.address).signalled)
        try:
            await worker.run()
        finally:
            EndOfProcess.due = monotonic() + worker.grace_left.total_seconds()
    return 0


def _conclude(report: WorkerReport, had_box: bool) -> None:
    rest = ""
    if had_box:
        EndOfProcess.code = 1 if report.unsettled else 0  # if its time is up before it has left
        done = work_report(report)
        rest = f"; {done.status}: {done.released} released, {_number(done.remaining)} remaining"
    attempts = counted(report.processed, "attempt")
    say(f"holdfast: worker exited after {attempts}, {report.failed:,} of them failed{rest}")
    if report.unsettled:
        say(
            f"warning: the outcomes of {counted(report.unsettled, 'job')} could not be stored; these "
            "jobs run again"
        )
        raise typer.Exit(1)


def _number(count: int | None) -> str:
    return "an unknown number" if count is None else str(count)
