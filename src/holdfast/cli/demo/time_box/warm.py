"""A process that has imported all that a worker needs, and forks one when it is told to: a warm start.

Platforms for functions do the same: a worker of three seconds would else spend one of them on imports. It is
told in lines of JSON on stdin: a number, the arguments and the log of a worker; it says on stdout which
process that is, and then with what code it ended, how long it lived, and how late this process itself was.
"""

import gc
import json
import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from holdfast.cli import app_path, worker
from holdfast.cli.demo import app
from holdfast.cli.early_end import arm
from holdfast.cli.entry import run
from holdfast.db.sql_files import load_sql_files
from holdfast.worker import worker as worker_class

PRELOADED = (app, app_path, worker, worker_class)
LOOK_EVERY = 0.01


class Warm:
    def __init__(self) -> None:
        self._lives: dict[int, tuple[int, float]] = {}
        self._unread = b""
        self._lag = 0.0

    def serve(self) -> None:
        """Until stdin is closed; its workers end by themselves, within their time boxes."""
        while True:
            before = time.monotonic()
            ready, _, _ = select.select([0], [], [], LOOK_EVERY)
            self._lag = max(self._lag, time.monotonic() - before - LOOK_EVERY)
            if ready and not self._read():
                return
            self._reap()

    def _read(self) -> bool:
        text = os.read(0, 65536)
        *lines, self._unread = (self._unread + text).split(b"\n")
        for line in lines:
            self._start(**json.loads(line))
        return bool(text)

    def _start(self, number: int, arguments: Sequence[str], log: str) -> None:
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            become_worker(arguments, log)
        self._lives[pid] = number, began
        say({"number": number, "pid": pid})

    def _reap(self) -> None:
        while self._lives:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            number, began = self._lives.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            life = time.monotonic() - began
            say({"number": number, "code": code, "life": life, "lag": self._lag})


def become_worker(arguments: Sequence[str], log: str) -> None:
    """In the child: never returns."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for descriptor in (1, 2):
            os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), descriptor)
        sys.argv[1:] = arguments
        arm(arguments)
        code = run(arguments)
    finally:
        os._exit(code)


def say(message: dict[str, Any]) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def warm_up() -> None:
    """What the first command and the first look at the schema would load."""
    with redirect_stdout(StringIO()):
        run(["version"])
    load_sql_files()
    gc.freeze()


if __name__ == "__main__":
    warm_up()
    Warm().serve()
