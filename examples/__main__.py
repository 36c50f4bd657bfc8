"""`./dev example NAME`: runs one example on a PostgreSQL of its own, and removes everything afterwards.

stdout is the verdict, stderr is for people. Exit code 0: all checks passed, 1: a check failed, 2: wrong use.
"""

import argparse
import asyncio
import json
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from examples.display import Display
from examples.options import Options
from examples.verdict import Verdict
from holdfast.cli.demo.dashboard_process import dashboard_of
from holdfast.embedded import EmbeddedError, EmbeddedServer
from holdfast.model.error import HoldfastError
from holdfast.testing import fresh_database

HERE = Path(__file__).parent
INTERRUPTED = 130
TERMINATED = 143
# Nothing of an example outlives it, so its server need not survive a power failure.
SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}


def main(arguments: Sequence[str]) -> int:
    asked = _parse(arguments)
    if asked.name is None:
        for name, module in examples().items():
            print(f"{name:<16} {(module.__doc__ or '').strip().splitlines()[0]}")
        return 0
    start, display = time.monotonic(), Display()
    try:
        verdict = asyncio.run(_run(asked, display, start))
    except KeyboardInterrupt:
        return _stopped(asked.name, "was interrupted", INTERRUPTED)
    except asyncio.CancelledError:
        return _stopped(asked.name, "was terminated", TERMINATED)
    except (EmbeddedError, HoldfastError) as exc:
        return _stopped(asked.name, f"could not finish: {exc}", 1)
    except Exception as exc:
        traceback.print_exc()
        return _stopped(asked.name, f"stopped with {type(exc).__name__}", 1)
    return verdict.exit_code


def examples() -> dict[str, ModuleType]:
    """By the name on the command line: the package `analysis_runs` is `analysis-runs`."""
    packages = sorted(path.parent.name for path in HERE.glob("*/__init__.py"))
    return {name.replace("_", "-"): import_module(f"examples.{name}") for name in packages}


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    known = examples()
    parser = argparse.ArgumentParser(prog="./dev example", description="Run a complete system.")
    parser.add_argument("name", nargs="?", choices=known, metavar="NAME", help="without it: list all")
    parser.add_argument("--full", action="store_true", help="at full size, which takes minutes")
    parser.add_argument("--keep", action="store_true", help="show it in the dashboard, until Ctrl-C")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--plant", metavar="FAULT", help="break one thing, to see the verdict fail")
    asked = parser.parse_args(arguments)
    faults = () if asked.name is None else known[asked.name].FAULTS
    if asked.plant is not None and asked.plant not in faults:
        parser.error(f"--plant must be one of {', '.join(faults) or 'no faults'} (got {asked.plant!r})")
    return asked


async def _run(asked: argparse.Namespace, display: Display, start: float) -> Verdict:
    """SIGTERM cancels, so that everything is removed as with Ctrl-C."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with _directory(asked.name) as directory:
        display.say(f"{asked.name}: starting a PostgreSQL server in {directory}")
        async with _database(directory) as url, _dashboard(asked, url, directory, display):
            options = Options(url, directory, display, asked.full, asked.plant)
            verdict: Verdict = await examples()[asked.name].main(options)
            _tell(verdict, asked, time.monotonic() - start)
            return verdict


@asynccontextmanager
async def _dashboard(
    asked: argparse.Namespace, url: str, directory: Path, display: Display
) -> AsyncIterator[None]:
    """With --keep: shows the example while it runs, and afterwards until a signal comes."""
    if not asked.keep:
        yield
        return
    async with dashboard_of(url, directory) as address:
        display.say(f"{asked.name}: watch it in a browser: {address}")
        yield
        display.say(f"{asked.name}: the dashboard stays at {address} until Ctrl-C")
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        await ended.wait()


@contextmanager
def _directory(name: str) -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix=f"holdfast-{name}-"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


@asynccontextmanager
async def _database(directory: Path) -> AsyncIterator[str]:
    server = EmbeddedServer(directory, settings=SETTINGS)
    url = await asyncio.to_thread(server.start)
    try:
        async with fresh_database(url) as database_url:
            yield database_url
    finally:
        await asyncio.to_thread(server.stop)


def _tell(verdict: Verdict, asked: argparse.Namespace, seconds: float) -> None:
    """The verdict's line comes last, also in JSON, where it goes to stderr."""
    line = verdict.line(asked.name, seconds)
    if asked.json:
        print(json.dumps(verdict.document(asked.name, seconds)), flush=True)
        print(line, file=sys.stderr)
        return
    for check in verdict.checks:
        print(check)
    print(line, flush=True)


def _stopped(name: str, what: str, code: int) -> int:
    print(f"{name}: FAILED, it {what}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
