"""A system under test: a small script that runs in an environment of its own and answers in JSON lines."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class System:
    """How to run one system's script: `script COMMAND URL [N]` prints one JSON object."""

    name: str
    script: Path
    python: Path

    def call(self, command: str, url: str, *args: int) -> dict[str, Any]:
        return finish(self.start(command, url, *args))

    def start(self, command: str, url: str, *args: int) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(self.python), str(self.script), command, url, *map(str, args)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)},
        )


def finish(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """What the script printed; a script that failed fails the benchmark."""
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{process.args!r} ended with exit code {process.returncode}")
    answer: dict[str, Any] = json.loads(out.splitlines()[-1])
    return answer


def ours() -> System:
    return System("holdfast", HERE / "peers" / "holdfast_script.py", Path(sys.executable))
