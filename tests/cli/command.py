"""Runs the command, in this process or in one of its own, and gives back all that one can see of it."""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from holdfast.cli.frame.entry import run
from tests.patience import PATIENCE
from tests.repo.tree import ROOT


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def holdfast(
    *arguments: str, url: str | None = None, stdin: str = "", cwd: Path | None = None, **more: str
) -> Result:
    """In this process: half a second saved per call. For tests without a running event loop."""
    out, err = StringIO(), StringIO()
    with (
        patch.dict(os.environ, environment(url, **more), clear=True),
        patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode()))),
        chdir(cwd or Path.cwd()),
        _own_modules(cwd),
        _own_logging(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = run(arguments)
    return Result(code, out.getvalue(), err.getvalue())


def holdfast_process(
    *arguments: str, url: str | None = None, stdin: str = "", cwd: Path | None = None, **more: str
) -> Result:
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", *arguments],
        env=environment(url, **more),
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def environment(url: str | None = None, **more: str) -> dict[str, str]:
    """Nothing of the developer's own settings gets through."""
    own = ("HOLDFAST_", "PG", "COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    clean.pop("DATABASE_URL", None)
    clean["PYTHONPATH"] = str(ROOT / "src")
    if url is not None:
        clean["HOLDFAST_DATABASE_URL"] = url
    return clean | more


def eventually(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"it did not happen in {PATIENCE:.0f} s"
        time.sleep(0.05)


@contextmanager
def _own_modules(cwd: Path | None) -> Iterator[None]:
    """An app that was imported from `cwd` must not be found by the next test."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [file.stem for file in cwd.glob("*.py")] if cwd else []:
        sys.modules.pop(name, None)


@contextmanager
def _own_logging() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger("holdfast")
    handlers, level = list(root.handlers), own.level
    yield
    root.handlers[:] = handlers
    own.setLevel(level)
