"""Systems that break: small scripts with the commands that a benchmark calls, each of which notes its pid."""

import sys
from pathlib import Path

from bench.system import Store, System

HEAD = """
import os, sys, time
from pathlib import Path

command, place = sys.argv[1:3]
Path(place, f"{command}-{os.getpid()}").touch()

def ready():
    print("ready", flush=True)
    sys.stdin.readline()

"""


def system(place: Path, *body: str) -> System:
    """Called with the directory `place` as its URL; `body` is the rest of its script."""
    script = place / "broken_script.py"
    script.write_text(HEAD + "\n".join(body), encoding="utf-8")
    return System("broken", script, Path(sys.executable), store=Store.SQLITE)


def started(place: Path, command: str) -> list[int]:
    """The processes that were started with this command."""
    return [int(path.name.split("-")[1]) for path in place.glob(f"{command}-*")]
