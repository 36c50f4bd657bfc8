"""`holdfast worker --reload`, for development: a worker that starts again when a .py file changes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from holdfast.cli.frame.output import say
from holdfast.db.embedded import ANNOUNCED

LOOK_EVERY = 0.5
OPTION = "--reload"
VARIABLE = "HOLDFAST_WORKER_RELOAD"
SKIPPED = {"__pycache__", "node_modules"}


def _if_asked(value: bool) -> bool:
    """This process only watches; the worker is a child without the option."""
    if value:
        arguments = [word for word in sys.argv[1:] if word != OPTION]
        raise typer.Exit(Reloader([sys.executable, "-m", "holdfast", *arguments], Path.cwd()).run())
    return value


Reload = Annotated[
    bool,
    typer.Option(
        OPTION,
        callback=_if_asked,
        envvar=VARIABLE,
        help="For development: restart the worker when a .py file below the current directory changes.",
    ),
]


class Reloader:
    """Runs the command until a signal stops it, or the command exits because its work is done."""

    def __init__(self, command: Sequence[str], directory: Path) -> None:
        self._command = command
        self._directory = directory
        self._is_stopping = False
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._stop)
        code = None
        while code is None:
            code = self._run_once()
        return code

    def _run_once(self) -> int | None:
        """The exit code to leave with; None after a change."""
        seen = modified(self._directory)
        # In a session of its own, or Ctrl-C would reach it twice: from the terminal and from here.
        child = self._child = subprocess.Popen(self._command, start_new_session=True, env=_environment())
        while modified(self._directory) == seen:
            code = _wait(child)
            if self._is_stopping:
                return _end(child)
            if code == 0:
                return code
            if code is not None:
                self._wait_for_change(seen, code)
        say("holdfast: a file changed, the worker restarts")
        if child.poll() is None:
            os.environ[ANNOUNCED] = "1"  # it has announced an embedded server itself
        _end(child)
        return None

    def _wait_for_change(self, seen: Mapping[Path, int], code: int) -> None:
        """A worker that cannot start, perhaps for a typing mistake, is tried again after the next change."""
        say(f"holdfast: the worker exited with code {code}; it restarts when a file changes")
        while modified(self._directory) == seen and not self._is_stopping:
            time.sleep(LOOK_EVERY)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """The second one is passed on: a worker that hears it leaves at once."""
        if self._is_stopping and self._child is not None:
            self._child.terminate()
        self._is_stopping = True


def _environment() -> dict[str, str]:
    """Without the variable: the child would watch, too, and so on."""
    return {name: value for name, value in os.environ.items() if name != VARIABLE}


def modified(directory: Path) -> dict[Path, int]:
    """When each .py file was changed last; not of hidden directories and virtual environments."""
    return {path: moment for path in python_files(directory) if (moment := _changed_at(path)) is not None}


def python_files(directory: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if not _is_skipped(Path(place, name))]
        yield from (Path(place, name) for name in files if name.endswith(".py"))


def _is_skipped(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in SKIPPED or (folder / "pyvenv.cfg").exists()


def _changed_at(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None  # removed since the directory was read


def _wait(child: "subprocess.Popen[bytes]") -> int | None:
    try:
        return child.wait(LOOK_EVERY)
    except subprocess.TimeoutExpired:
        return None


def _end(child: "subprocess.Popen[bytes]") -> int:
    """Its exit code; it is stopped if it still runs."""
    if child.poll() is None:
        child.terminate()
    return child.wait()
