"""The guide to progress is true: its program runs and prints what it says."""

import re
import subprocess
import sys

from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/progress.md"
((_, PROGRAM),) = blocks(PAGE, "python")


def test_the_program_prints_what_the_page_says(database_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=environment(database_url),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    (promise,) = re.findall(r"^It prints (.+)\.$", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE)
    assert done.stdout.splitlines() == re.findall(r"`([^`]+)`", promise)


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
