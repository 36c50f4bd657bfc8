"""Runs the command as a process of its own and gives back all that one can see of it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def environment(url: str | None = None, **more: str) -> dict[str, str]:
    """Nothing of the developer's own settings gets through."""
    own = ("HOLDFAST_", "PG", "COLUMNS", "NO_COLOR", "FORCE_COLOR")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    clean.pop("DATABASE_URL", None)
    clean["PYTHONPATH"] = str(ROOT / "src")
    if url is not None:
        clean["HOLDFAST_DATABASE_URL"] = url
    return clean | more


def holdfast(
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
        timeout=60,
    )
    return Result(done.returncode, done.stdout, done.stderr)
