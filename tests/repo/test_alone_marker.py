"""The marker `alone` keeps tests apart even when two processes run them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

TESTS = """
import os, time
import pytest

@pytest.mark.alone
@pytest.mark.parametrize("number", range(4))
def test_it(number):
    os.close(os.open("inside", os.O_CREAT | os.O_EXCL))
    time.sleep(0.3)
    os.unlink("inside")
"""


@pytest.mark.slow
def test_tests_marked_alone_never_overlap(tmp_path: Path) -> None:
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = alone\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-v"]
    # A lock of its own: the real one is held by the tests that run beside this one.
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "4 passed" in run.stdout, run.stdout
    assert "[gw0]" in run.stdout, "both processes must have had a test"
    assert "[gw1]" in run.stdout, "both processes must have had a test"
