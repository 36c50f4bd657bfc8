"""docs/flow-control.md gives the numbers that the SQL has."""

import re

from tests.docs.page import links
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "flow-control.md"
NUMBER = re.compile(
    r"^\| `(?P<number>[^`]+)` \| \[\w+\]\(\.\./(?P<file>[\w/.]+)\) \| (?P<reason>.+) \|$", re.MULTILINE
)


def test_each_number_stands_in_the_file_that_the_page_names() -> None:
    rows = [*NUMBER.finditer(PAGE.read_text())]
    assert len(rows) > 40
    assert [row["number"] for row in rows if row["number"] not in (ROOT / row["file"]).read_text()] == []


def test_no_number_is_left_out_of_the_check() -> None:
    tables = [line for line in PAGE.read_text().splitlines() if line.startswith("| `") and "/sql/" in line]
    assert len(tables) == len(NUMBER.findall(PAGE.read_text()))


def test_the_links_lead_somewhere() -> None:
    assert [link for link in links("flow-control.md") if not (ROOT / "docs" / link).exists()] == []
