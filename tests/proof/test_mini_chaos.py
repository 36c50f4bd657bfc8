"""A minute of chaos with every fault, under a seed that is printed: a failing one can be done again."""

import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import environment
from tests.repo.tree import ROOT

pytestmark = [pytest.mark.alone, pytest.mark.slow]


def test_every_fault_fires_and_no_job_is_lost_or_doubled(tmp_path: Path) -> None:
    seed = secrets.randbelow(2**31)
    print(f"seed {seed}")
    done = chaos("--seed", str(seed), "--minutes", "0.6", "--workers", "2", "--save", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(
        rf"chaos: seed {seed}, [1-9]\d* accepted, 0 lost, 0 duplicated, 0 wrong, 0 late", last
    )


def chaos(*options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "chaos", *options]
    return subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
