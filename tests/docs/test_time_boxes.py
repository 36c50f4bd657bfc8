"""The guides to time boxes and to orchestration are true: their programs run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

pytestmark = pytest.mark.alone

((_, TIME_BOXES),) = blocks("guides/time-boxes.md", "python")
((_, ORCHESTRATION),) = blocks("guides/orchestration.md", "python")


def run(program: str, url: str, directory: Path) -> list[str]:
    (directory / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        env=environment(url),
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_job_of_many_pages_goes_through_functions_of_three_seconds(
    database_url: str, tmp_path: Path
) -> None:
    *statuses, pages = run(TIME_BOXES, database_url, tmp_path)
    assert pages == "pages: 12"
    assert statuses[-1] == "done"
    assert len(statuses) > 1
    assert set(statuses[:-1]) == {"out_of_time"}


@pytest.mark.slow
def test_a_run_brings_its_workers(database_url: str, tmp_path: Path) -> None:
    said = run(ORCHESTRATION, database_url, tmp_path)
    assert said == ["workers: 3 at [0, 2, 4]", "12 of 12 completed"]


@pytest.mark.parametrize("page", ["guides/time-boxes.md", "guides/orchestration.md"])
def test_what_the_pages_point_to_is_there(page: str) -> None:
    missing = [link for link in links(page) if not (ROOT / "docs" / "guides" / link).exists()]
    assert missing == []
