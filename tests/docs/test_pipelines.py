"""The guide to pipelines is true: its program runs, and prints what the page says."""

import subprocess
import sys
from pathlib import Path

from tests.docs.page import blocks, environment
from tests.patience import PATIENCE

((_, PROGRAM),) = blocks("guides/pipelines.md", "python")
((_, PRINTED),) = blocks("guides/pipelines.md", "text")


def test_the_program_prints_what_the_page_says(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "posts.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-W", "error", "posts.py"],
        env=environment(database_url),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")
