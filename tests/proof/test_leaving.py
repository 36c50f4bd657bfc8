"""A chaos that is stopped takes its server and its workers along."""

import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.cli.command import environment, eventually
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

pytestmark = pytest.mark.alone

COMMAND = [sys.executable, "-m", "chaos", "--seed", "1", "--minutes", "1"]


@pytest.mark.slow
def test_sigterm_leaves_no_server_and_no_worker_behind() -> None:
    with tempfile.TemporaryDirectory(prefix="hf-") as directory:
        Path(directory).chmod(0o755)
        started = subprocess.Popen(
            COMMAND, cwd=ROOT, env=environment(TMPDIR=directory), stderr=subprocess.DEVNULL
        )
        try:
            eventually(lambda: len(psutil.Process(started.pid).children()) >= 4)
            family = psutil.Process(started.pid).children(recursive=True)
        finally:
            started.terminate()
            started.wait(timeout=PATIENCE)
        eventually(lambda: not any(map(lives, family)))
        assert list(Path(directory).iterdir()) == []


def lives(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
