"""A system under test: a small script that runs in an environment of its own and answers in JSON lines."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Store(StrEnum):
    """Where a system keeps its jobs."""

    POSTGRES = "postgres"
    REDIS = "redis"
    SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class System:
    """How to run one system's script; `imports` is what an application of it imports."""

    name: str
    script: Path
    python: Path
    imports: str = "pass"
    store: Store = Store.POSTGRES

    def call(self, command: str, url: str, *args: float, env: Mapping[str, str] | None = None) -> Any:
        return finish(self.start(command, url, *args, env=env))

    def start(
        self, command: str, url: str, *args: float, env: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(self.python), str(self.script), command, url, *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)} | dict(env or {}),
        )

    def version(self) -> str:
        if self.name.startswith("bare_"):
            return ""
        return _version(self.python, self.name.split("[", maxsplit=1)[0])

    def import_seconds(self) -> float:
        timed = f"import time; t = time.perf_counter(); {self.imports}; print(time.perf_counter() - t)"
        answer = subprocess.run(
            [self.python, "-c", timed], capture_output=True, text=True, check=True, cwd="/"
        )
        return float(answer.stdout)


class Workers:
    """Worker processes that begin at the same moment, and end when told."""

    def __init__(
        self, system: System, url: str, number: int = 1, env: Mapping[str, str] | None = None
    ) -> None:
        self.processes = [system.start("work", url, env=env) for _ in range(number)]
        try:
            for process in self.processes:
                until_ready(process)
        except BaseException:
            self.kill()
            raise

    def go(self) -> None:
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()

    def stop(self) -> list[Any]:
        """What they report; those that were killed meanwhile say nothing."""
        alive = [process for process in self.processes if process.poll() is None]
        for process in alive:
            process.send_signal(signal.SIGTERM)
        return [finish(process) for process in alive]

    def wait(self) -> list[Any]:
        """What they report when they have left by themselves."""
        return [finish(process) for process in self.processes]

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()


def finish(process: "subprocess.Popen[str]") -> Any:
    """What the script printed; a script that failed fails the benchmark."""
    try:
        out, _ = process.communicate()
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise RuntimeError(f"{process.args!r} ended with exit code {process.returncode}")
    return json.loads(out.splitlines()[-1])


def until_ready(process: "subprocess.Popen[str]") -> None:
    """Until a worker or a watcher says that it is set up."""
    assert process.stdout is not None
    if not process.stdout.readline():
        raise RuntimeError(f"{process.args!r} ended with exit code {process.wait()}")


@cache
def _version(python: Path, package: str) -> str:
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()


def ours() -> System:
    return System(
        "holdfast",
        HERE / "peers" / "holdfast_script.py",
        Path(sys.executable),
        "from holdfast import Holdfast, Worker",
    )


def bare(kind: str) -> System:
    """A loop without handlers, features or both: what there is to be had at most."""
    return System(f"bare_{kind}", HERE / "peers" / f"bare_{kind}_script.py", Path(sys.executable))
