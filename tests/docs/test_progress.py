"""The guide to progress is true: its program runs and prints what it says."""

import re

from tests.docs.page import blocks, links, run
from tests.repo.tree import ROOT

PAGE = "guides/progress.md"
((_, PROGRAM),) = blocks(PAGE, "python")


def test_the_program_prints_what_the_page_says(database_url: str) -> None:
    done = run(PROGRAM, database_url)
    (promise,) = re.findall(r"^It prints (.+)\.$", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE)
    assert done.stdout.splitlines() == re.findall(r"`([^`]+)`", promise)


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
