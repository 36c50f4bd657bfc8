"""A system under test: a small script that runs in an environment of its own and answers in JSON lines."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.result import OLDER
from bench.unavailable import last_line

HERE = Path(__file__).parent
LOOK_SECONDS = 0.02


class SystemFailed(RuntimeError):
    """A system under test broke, or did less than it was asked: its figures are void, the others' are not."""

    def __init__(self, system: str, what: str) -> None:
        super().__init__(f"{system}: {what}")
        self.system = system
        self.what = what


class Store(StrEnum):
    """Where a system keeps its jobs."""

    POSTGRES = "postgres"
    REDIS = "redis"
    SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class System:
    """How to run one system's script; `imports` is what an application of it imports.

    `package` is the distribution that it comes in, if that has another name; `path` is where Python looks
    for modules before those of the environment.
    """

    name: str
    script: Path
    python: Path
    imports: str = "pass"
    store: Store = Store.POSTGRES
    package: str | None = None
    path: str = str(HERE.parent)

    def call(self, command: str, url: str, *args: float, env: Mapping[str, str] | None = None) -> Any:
        return finish(self.start(command, url, *args, env=env))

    def start(self, command: str, url: str, *args: float, env: Mapping[str, str] | None = None) -> "Process":
        return Process(self, command, [url, *map(str, args)], env or {})

    def version(self) -> str:
        if self.name.startswith(("bare_", OLDER)):
            return ""
        return _version(self.package or self.name, self.python)

    def import_seconds(self) -> float:
        timed = f"import time; t = time.perf_counter(); {self.imports}; print(time.perf_counter() - t)"
        return float(_answer(self.name, self.python, timed))


class Process(subprocess.Popen[str]):
    """A system's script at one of its commands, in a process group of its own.

    A context manager: at the end of the block it is gone, with whatever it started.
    """

    def __init__(self, system: System, command: str, words: list[str], env: Mapping[str, str]) -> None:
        self.system = system.name
        self.command = command
        super().__init__(
            [str(system.python), str(system.script), command, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": system.path} | dict(env),
            process_group=0,
        )

    def failed(self, what: str) -> SystemFailed:
        return SystemFailed(self.system, f"`{self.command}` {what}")

    def end(self) -> None:
        """At once. Its children would keep its output open, and its reader would wait for them."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.kill()
        self.communicate()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        super().__exit__(kind, error, trace)


class Workers:
    """Worker processes that begin at the same moment, and end when told, or with the block."""

    def __init__(
        self, system: System, url: str, number: int = 1, env: Mapping[str, str] | None = None
    ) -> None:
        self._killed: set[int] = set()
        self.processes: list[Process] = []
        try:
            for _ in range(number):
                self.processes.append(system.start("work", url, env=env))
            for process in self.processes:
                until_ready(process)
        except BaseException:
            self.kill()
            raise

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def go(self) -> None:
        for process in self.processes:
            assert process.stdin is not None
            try:
                process.stdin.write("go\n")
                process.stdin.flush()
            except BrokenPipeError:
                raise process.failed(f"ended with exit code {process.wait()} before it began") from None

    def stop(self) -> list[Any]:
        """What they report; those that were killed on purpose say nothing."""
        self.check()
        alive = [process for process in self.processes if process.pid not in self._killed]
        for process in alive:
            process.send_signal(signal.SIGTERM)
        return [finish(process) for process in alive]

    def check(self) -> None:
        """A worker that ended by itself is an error: the jobs it held would be waited for in vain."""
        for process in self.processes:
            if process.pid not in self._killed and process.poll() is not None:
                raise process.failed(f"ended with exit code {process.returncode} before it was told to")

    def until(self, other: Process) -> Any:
        """What `other` reports when it has finished, as long as the workers live."""
        while other.poll() is None:
            self.check()
            time.sleep(LOOK_SECONDS)
        return finish(other)

    def kill_one(self, pid: int) -> None:
        """On purpose."""
        self._killed.add(pid)
        (victim,) = (process for process in self.processes if process.pid == pid)
        victim.end()

    def wait(self) -> list[Any]:
        """What they report when they have left by themselves."""
        return [finish(process) for process in self.processes]

    def kill(self) -> None:
        for process in self.processes:
            process.end()


def finish(process: Process) -> Any:
    """What the script printed; one that failed raises SystemFailed."""
    try:
        out, _ = process.communicate()
    except BaseException:
        process.end()
        raise
    if process.returncode:
        raise process.failed(f"ended with exit code {process.returncode}")
    try:
        return json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        raise process.failed(f"gave no answer, but {out[-200:]!r}") from None


def until_ready(process: Process) -> None:
    """Until a worker or a watcher says that it is set up."""
    assert process.stdout is not None
    if not process.stdout.readline():
        raise process.failed(f"ended with exit code {process.wait()} before it was ready")


@cache
def _version(name: str, python: Path) -> str:
    package = name.split("[", maxsplit=1)[0]
    return _answer(name, python, f"import importlib.metadata as m; print(m.version({package!r}))")


def _answer(name: str, python: Path, code: str) -> str:
    """What `code` prints in the environment of a system."""
    ran = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, cwd="/")
    if ran.returncode:
        raise SystemFailed(name, last_line(ran.stderr))
    return ran.stdout.strip()


def ours() -> System:
    return System(
        "holdfast",
        HERE / "peers" / "holdfast_script.py",
        Path(sys.executable),
        "from holdfast import Holdfast, Worker",
        package="holdfast-queue",
    )


def uncounted() -> System:
    """Ours without statistics: what they cost is the difference."""
    return replace(ours(), name="holdfast_uncounted", script=HERE / "peers" / "holdfast_uncounted_script.py")


def bare(kind: str) -> System:
    """A loop without handlers, features or both: what there is to be had at most."""
    return System(f"bare_{kind}", HERE / "peers" / f"bare_{kind}_script.py", Path(sys.executable))
