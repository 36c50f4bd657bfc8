"""`holdfast demo`: its options, where it runs, and its output."""

import asyncio
import json
import shutil
import signal
import tempfile
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from holdfast.cli.demo.run_demo import Result, run_demo
from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.output import flush, say, write
from holdfast.embedded import EmbeddedError
from holdfast.model.error import DatabaseUnavailable

TERMINATED = 143

T = TypeVar("T")


def demo(
    context: typer.Context,
    jobs: Annotated[int, typer.Option(min=20, max=10_000, help="Run this many jobs.")] = 200,
    workers: Annotated[int, typer.Option(min=1, max=20, help="Start this many worker processes.")] = 2,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Leave the dashboard up until Ctrl-C, keep the database, and print commands to inspect it.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """The demo starts a PostgreSQL of its own and removes it afterwards. It does not use your database."""
    target = target_of(context)
    start_logging(target, "error")
    start = time.monotonic()
    with _directory(target, keep) as directory:
        say(f"demo: a PostgreSQL server of its own in {directory}")
        try:
            linger = _Linger(directory, start, as_json) if keep else None
            result = _run(run_demo(directory, jobs, workers, linger))
        except EmbeddedError as exc:
            raise DatabaseUnavailable(
                str(exc), "choose another directory with 'holdfast --data-dir DIR demo'"
            ) from exc
    if linger is None:
        _report(result, time.monotonic() - start, None, as_json)
    raise typer.Exit(result.verdict.exit_code)


@dataclass(frozen=True, slots=True)
class _Linger:
    """Reports the result, and leaves the dashboard up until a signal comes."""

    directory: Path
    start: float
    as_json: bool

    async def __call__(self, result: Result, address: str) -> None:
        _report(result, time.monotonic() - self.start, self.directory, self.as_json)
        say(f"demo: the dashboard stays at {address} until Ctrl-C")
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        await ended.wait()


def _report(result: Result, seconds: float, kept: Path | None, as_json: bool) -> None:
    if as_json:
        _write_json(result, seconds)
    else:
        _explain(result, kept)
        write(result.verdict.line(seconds))
    flush()


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


def _write_json(result: Result, seconds: float) -> None:
    verdict, ledger = result.verdict, result.ledger
    document = {
        "passed": not verdict.failed,
        "failed": verdict.failed,
        **asdict(verdict),
        "calls": len(ledger),
        "outcomes": dict(ledger.outcomes),
        "seconds": round(seconds, 1),
    }
    write(json.dumps(document))


def _explain(result: Result, kept: Path | None) -> None:
    verdict, ledger = result.verdict, result.ledger
    failed = sum(count for status, count in ledger.statuses.items() if status >= 500)
    again = sum(ledger.repeated.values()) - len(ledger.repeated)
    write(f"The model server was called {len(ledger)} times for {verdict.jobs} jobs:")
    write(f"  {failed} times it failed, {ledger.statuses[429]} times it was too busy")
    write(f"  {again} answers were asked for again, under the same idempotency key")
    write(f"  {verdict.rescued} jobs lost their worker on the way; another took them over")
    write("Where to look next:")
    if kept is None:
        write("  holdfast demo --keep     the same, and the dashboard and the database stay")
        write("  holdfast --help          what else there is")
        return
    for command in ("runs list", "jobs list", "queues list", "doctor", "db"):
        write(f"  holdfast --data-dir {kept} {command}")
    write(f"  rm -r {kept}    when you have seen enough")
