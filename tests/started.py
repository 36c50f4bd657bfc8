"""The processes that a test starts, and their end."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

import psutil

from holdfast.embedded import launch


@contextmanager
def started_processes() -> Iterator[list["subprocess.Popen[Any]"]]:
    """Those that this process starts during the block. Embedded servers are no part of them: the last
    one out stops those.
    """
    started: list[subprocess.Popen[Any]] = []
    original = subprocess.Popen.__init__

    def noting(process: "subprocess.Popen[Any]", *args: Any, **options: Any) -> None:
        original(process, *args, **options)
        started.append(process)

    with patch.object(subprocess.Popen, "__init__", noting):
        yield started
    started[:] = [process for process in started if process not in launch._launched]


def end(process: "subprocess.Popen[Any]") -> None:
    """With all that it has started itself: a demo has a server and workers of its own."""
    with suppress(psutil.NoSuchProcess):
        for one in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                one.kill()
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
