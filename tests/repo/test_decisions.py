"""Every decision page is numbered once and listed in the index."""

from tests.repo.tree import ROOT

DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))


def test_the_index_lists_every_decision() -> None:
    index = (DECISIONS / "README.md").read_text()
    assert PAGES
    assert [page for page in PAGES if f"({page})" not in index] == []


def test_no_two_decisions_share_a_number() -> None:
    numbers = [page.split("-")[0] for page in PAGES]
    assert sorted(set(numbers)) == numbers
