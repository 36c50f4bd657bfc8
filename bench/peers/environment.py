"""The environment of the peers: made once, beside ours, and never mixed with it."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

from bench.system import HERE, System

PACKAGES = ("pgqueuer[asyncpg]", "uvloop")
PLACE = HERE.parent / ".venv-peers"


def peer(name: str) -> System:
    return System(name, HERE / "peers" / f"{name}_script.py", python())


def python() -> Path:
    """The interpreter of the peers' environment, installed at first use."""
    interpreter = PLACE / "bin" / "python"
    stamp = PLACE / "packages.stamp"
    wanted = hashlib.sha256("\n".join(PACKAGES).encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        print("bench: installing the peers into an environment of their own …", file=sys.stderr)
        venv.create(PLACE, clear=True, with_pip=True)
        subprocess.run([interpreter, "-m", "pip", "install", "-qq", *PACKAGES], check=True, stdout=sys.stderr)
        stamp.write_text(wanted)
    return interpreter
