"""The example analysis-runs: its verdict passes, and each planted fault makes it fail by name."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.analysis_runs import FAULTS
from examples.analysis_runs.app import app
from examples.analysis_runs.checks import judge
from examples.analysis_runs.scenario import plant, played
from examples.display import Display
from examples.options import Options
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

COMMAND = [sys.executable, "-m", "examples", "analysis-runs"]
ANSWERS, REPLIES = "every completed query has answers", "no reply was sent twice"


class Told(Display):
    """Remembers what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)
        super().say(text)


@pytest.fixture
def directory() -> Iterator[Path]:
    """One that anyone may pass through: as root, the server runs as another user."""
    made = Path(tempfile.mkdtemp(prefix="holdfast-test-"))
    made.chmod(0o711)
    yield made
    made.rmdir()


@pytest.mark.slow
@pytest.mark.alone
async def test_the_verdict_passes_and_each_planted_fault_is_named(database_url: str, tmp_path: Path) -> None:
    display = Told()
    async with played(Options(database_url, tmp_path, display)) as evidence:
        first, second = [line for line in display.lines if line.startswith("Submitted for ")]
        assert first == "Submitted for acme: no forecast: no run time of the queue analysis is known."
        assert re.fullmatch(r"Submitted for globex: about .+ \(.+ to .+\) on \d+ slots\.", second)
        good = await judge(app.database, evidence)
        assert good.passed, good.line("analysis-runs", 0)
        await plant("double-reply", evidence)
        assert [check.name for check in (await judge(app.database, evidence)).failed] == [REPLIES]
        await plant("delete-row", evidence)
        assert [check.name for check in (await judge(app.database, evidence)).failed] == [ANSWERS, REPLIES]
    assert set(FAULTS) == {"double-reply", "delete-row"}


@pytest.mark.slow
@pytest.mark.alone
def test_the_command_ends_with_the_verdict_and_its_exit_code(directory: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--plant", "delete-row"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(directory)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"analysis-runs: FAILED, 1 of 12 checks: {ANSWERS}"
    assert all(len(line) <= 80 for line in (*done.stdout.splitlines(), *done.stderr.splitlines()[1:]))
    assert [*directory.iterdir()] == []


@pytest.mark.slow
@pytest.mark.alone
def test_ctrl_c_ends_everything_and_leaves_nothing(directory: Path) -> None:
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(directory)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("Submitted for acme"):
            break
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "was interrupted" in said[1]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert [*directory.iterdir()] == []
