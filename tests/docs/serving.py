"""Commands of a page that go on until they are stopped: `holdfast serve` and `holdfast up`."""

import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.command import environment
from tests.docs.page import blocks
from tests.patience import PATIENCE


def commands(page: str) -> list[str]:
    """The lines of its shell blocks."""
    return [line for _, text in blocks(page, "shell") for line in text.splitlines()]


@contextmanager
def started(command: str, database_url: str, place: Path) -> Iterator[str]:
    """Its URL; only the port is another one. After the block it ends by SIGTERM, with status 0."""
    program, *words = shlex.split(command)
    assert (program, words[0] in ("serve", "up")) == ("holdfast", True)
    with (place / "log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", *words, "--port", "0"],
            env=environment(database_url),
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        with process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.send_signal(signal.SIGTERM)
                code = process.wait(PATIENCE)
        log.seek(0)
        said = log.read()
    assert (code, "Traceback" in said) == (0, False), said


def answers(url: str, path: str = "/livez") -> int:
    with urllib.request.urlopen(url + path, timeout=PATIENCE) as answered:
        status: int = answered.status
        return status
