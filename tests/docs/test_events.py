"""The list of events in the documentation is the list of events."""

from tests.docs.event_reference import PAGE, page
from tests.docs.page import links
from tests.repo.tree import ROOT


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.docs.event_reference"


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links("events.md") if not (ROOT / "docs" / link).exists()] == []
