"""The example analysis-runs: its verdict passes, and each planted fault makes it fail by name."""

import os
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
    async with played(Options(database_url, tmp_path, Display())) as evidence:
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
        if line.startswith("Two runs are stored"):
            break
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "was interrupted" in said[1]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert [*directory.iterdir()] == []
