"""The guide to shared results is true: its program prints what it says."""

from tests.docs.page import blocks, links, run
from tests.repo.tree import ROOT

PAGE = "guides/shared-results.md"
((_, PROGRAM),) = blocks(PAGE, "python")
((_, PRINTED),) = blocks(PAGE, "text")


def test_the_program_prints_what_the_page_says(database_url: str) -> None:
    assert run(PROGRAM, database_url).stdout == PRINTED


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
