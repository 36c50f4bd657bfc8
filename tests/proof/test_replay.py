"""A run that failed is done again from what it has saved."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import environment
from tests.proof.test_sabotage import RISING
from tests.repo.tree import ROOT

pytestmark = [pytest.mark.alone, pytest.mark.slow]

SEED = 22
# Every second job that completed is done again, which no run passes, on a busy machine either.
PROGRAM = f"""
import sys
from chaos.__main__ import main
from chaos.workloads.plain import Plain
Plain.tables = {RISING.replace("0.02", "0.5")!r}
sys.exit(main())
"""


def test_a_schedule_that_failed_is_saved_and_fails_again_in_the_same_way(tmp_path: Path) -> None:
    options = ("--seed", str(SEED), "--minutes", "0.1", "--faults", "long-transaction", "--workers", "2")
    first = chaos(*options, "--save", str(tmp_path))
    assert first.returncode == 1, first.stdout + first.stderr
    saved = tmp_path / f"chaos-{SEED}.json"
    steps = [step["fault"] for step in json.loads(saved.read_text())["steps"]]
    again = chaos("--replay", str(saved), "--save", str(tmp_path / "elsewhere"))
    assert again.returncode == 1, again.stdout + again.stderr
    for run in (first, again):
        assert f"chaos: seed {SEED}" in run.stderr
        assert "wrong: " in run.stdout
        assert done_by(run.stderr) == steps[: len(done_by(run.stderr))] != []


def chaos(*options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PROGRAM, *options]
    return subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)


def done_by(told: str) -> list[str]:
    """The faults that a run tells of, in their order."""
    return re.findall(r"chaos: +[\d.]+ s (\S+)", told)
