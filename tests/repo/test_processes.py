"""A process that a test leaves behind is ended with it, and the test that left it is the one that fails."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.processes import lives
from tests.repo.tree import ROOT

CARELESS = """
import subprocess, sys

from tests.conftest import every_process_ends

CHILD = "import subprocess, sys; p = subprocess.Popen(['sleep', '600']); print(p.pid, flush=True); p.wait()"


def test_careless():
    process = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True)
    print("started", process.pid, process.stdout.readline())


def test_careful():
    subprocess.run([sys.executable, "-c", ""], check=True)
"""


@pytest.mark.slow
def test_a_process_left_behind_is_killed_with_its_children_and_fails_its_own_test(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(CARELESS)
    config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-rA"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *config, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed, 1 error" in ran.stdout, ran.stdout
    assert "ERROR at teardown of test_careless" in ran.stdout
    assert "AssertionError: the test left processes behind" in ran.stdout
    line = next(line for line in ran.stdout.splitlines() if line.startswith("started "))
    assert [pid for pid in map(int, line.split()[1:]) if lives(pid)] == []
