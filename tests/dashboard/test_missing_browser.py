"""Without a browser the tests of pages are left out, and the run says so; in CI they fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.repo.tree import ROOT

IN_A_BROWSER = "tests/dashboard/test_live.py::test_what_changes_appears_and_a_paused_page_stays"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ci", "code", "said"),
    [
        ("false", 0, "tests of the dashboard's pages that did NOT run: 1; install Debian's package chromium"),
        ("true", 1, "there is no chromium: install the package chromium"),
    ],
)
def test_a_run_without_a_browser_says_so_and_fails_in_ci(
    tmp_path: Path, ci: str, code: int, said: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "", IN_A_BROWSER],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path), "CI": ci},
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, said in ended.stdout) == (code, True), ended.stdout
