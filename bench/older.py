"""An older commit of Holdfast as a system under test: its own source and its own script.

The packages around it are those of this checkout's environment.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

from bench.result import CHECKOUT, OLDER, git
from bench.system import System
from bench.unavailable import Unavailable


@contextmanager
def older(revision: str | None, script: str, checkout: Path = CHECKOUT) -> Iterator[list[System]]:
    """One system that lives as long as the block, or none without a revision."""
    if revision is None:
        yield []
        return
    name = git(checkout, "rev-parse", "--short", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    if not name:
        raise Unavailable(f"--against: there is no commit {revision!r}; name one that `git log` lists")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
        place = Path(directory)
        _unpack(checkout, name, place)
        path = place / "bench" / "peers" / script
        if not path.exists():
            raise Unavailable(f"--against: the commit {name} has no bench/peers/{script}")
        # `src` stands before the environment, which has this checkout's.
        found = os.pathsep.join([str(place), str(place / "src")])
        yield [System(f"{OLDER}{name}", path, Path(sys.executable), path=found)]


def in_turn(systems: list[System], run: int) -> list[System]:
    """Another one first in each run: what comes second finds warmer caches."""
    first = run % len(systems)
    return systems[first:] + systems[:first]


def _unpack(checkout: Path, name: str, place: Path) -> None:
    packed = place / "commit.zip"
    if git(checkout, "archive", "--output", str(packed), name, "src", "bench") is None:
        raise Unavailable(f"--against: the commit {name} has no src or no bench")
    with ZipFile(packed) as commit:
        commit.extractall(place)
