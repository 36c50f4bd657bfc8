"""`holdfast demo`: what is asked for, where it happens, and what is said at the end."""

import asyncio
import shutil
import signal
import tempfile
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from holdfast.cli.demo.scenarios import SCENARIOS, Name, Setting
from holdfast.cli.output import say
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.embedded import EmbeddedError
from holdfast.model.error import DatabaseUnavailable

TERMINATED = 143
WHAT = (
    "plain; time-box: workers that live three seconds and send for the next;"
    " pipeline: agents that send posts through four stages."
)

T = TypeVar("T")


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(demo)


def demo(
    context: typer.Context,
    scenario: Annotated[Name, typer.Option(help=WHAT)] = Name.PLAIN,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "--posts", min=20, max=10_000, help="How many.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=20, help="How many processes.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the database to look at afterwards.")] = False,
) -> None:
    """On a PostgreSQL of its own, which it removes afterwards: it touches nothing of yours."""
    target = target_of(context)
    start_logging(target, "error")
    start, chosen = time.monotonic(), SCENARIOS[scenario]
    with _directory(target, keep) as directory:
        say(f"demo: a PostgreSQL server of its own in {directory}")
        try:
            outcome = _run(chosen.run(directory, jobs or chosen.jobs, workers or chosen.workers))
        except EmbeddedError as exc:
            raise DatabaseUnavailable(str(exc), "holdfast --data-dir DIR demo uses another place") from exc
    chosen.conclude(outcome, Setting(directory, keep, time.monotonic() - start))


def _run(play: Coroutine[Any, Any, T]) -> T:
    """SIGTERM cancels, so that everything is cleaned up as with Ctrl-C."""

    async def cancellable() -> T:
        task = asyncio.ensure_future(play)
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
