"""`holdfast demo`: what is asked for, where it happens, and what is said at the end."""

import asyncio
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.demo.run import Outcome, run_demo
from holdfast.cli.output import say, write
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.embedded import EmbeddedError
from holdfast.model.error import DatabaseUnavailable

TERMINATED = 143


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(demo)


def demo(
    context: typer.Context,
    jobs: Annotated[int, typer.Option(min=20, max=10_000, help="How many.")] = 200,
    workers: Annotated[int, typer.Option(min=1, max=20, help="How many processes.")] = 2,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the database to look at afterwards.")] = False,
) -> None:
    """On a PostgreSQL of its own, which it removes afterwards: it touches nothing of yours."""
    target = target_of(context)
    start_logging(target, "error")
    start = time.monotonic()
    with _directory(target, keep) as directory:
        say(f"demo: a PostgreSQL server of its own in {directory}")
        try:
            outcome = _run(directory, jobs, workers)
        except EmbeddedError as exc:
            raise DatabaseUnavailable(str(exc), "holdfast --data-dir DIR demo uses another place") from exc
    seconds = time.monotonic() - start
    _explain(outcome, directory, keep)
    _conclude(outcome, seconds)


def _run(directory: Path, jobs: int, workers: int) -> Outcome:
    """SIGTERM cancels, so that everything is cleaned up as with Ctrl-C."""

    async def cancellable() -> Outcome:
        task = asyncio.ensure_future(run_demo(directory, jobs, workers))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await task

    try:
        return asyncio.run(cancellable())
    except asyncio.CancelledError:
        raise typer.Exit(TERMINATED) from None


@contextmanager
def _directory(target: Target, keep: bool) -> Iterator[Path]:
    """Never the user's own: a new temporary one, or a new one inside --data-dir."""
    parent = None if target.data_dir is None else target.data_dir.expanduser().absolute()
    if parent is not None:
        parent.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="holdfast-demo-", dir=parent))
    try:
        yield directory
    finally:
        if not keep:
            shutil.rmtree(directory)


def _explain(outcome: Outcome, directory: Path, keep: bool) -> None:
    verdict, ledger = outcome.verdict, outcome.ledger
    write(f"The model server was called {ledger.calls.total()} times for {verdict.jobs} jobs:")
    write(f"  {ledger.statuses[500]} times it failed, {ledger.statuses[429]} times it was too busy")
    write(f"  {ledger.answered_again} answers were asked for again, under the same idempotency key")
    write(f"  {verdict.rescued} jobs lost their worker on the way; another took them over")
    if verdict.wrong:
        write(f"  {verdict.wrong} jobs did not end with the answer that the model server gave for them")
    write("Where to look next:")
    if keep:
        command = f"holdfast --data-dir {directory}"
        for look in ("runs list", "jobs list", "queues list", "doctor", "db"):
            write(f"  {command} {look}")
        write(f"  rm -r {directory}    when you have seen enough")
    else:
        write("  holdfast demo --keep     the same, and the database stays to be looked at")
        write("  holdfast --help          what else there is")


def _conclude(outcome: Outcome, seconds: float) -> None:
    verdict = outcome.verdict
    killed = f"{outcome.killed} worker{'' if outcome.killed == 1 else 's'} killed"
    sys.stdout.flush()
    write(
        f"demo: {verdict.completed} of {verdict.jobs} completed, {verdict.lost} lost,"
        f" {verdict.duplicated} duplicated, {killed}, {seconds:.0f} s"
    )
    if not (verdict.is_good and outcome.killed):
        raise typer.Exit(1)
