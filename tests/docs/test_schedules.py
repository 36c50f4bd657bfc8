"""The guide to schedules is true: its program runs and prints what it says, and SQL takes its statement."""

import re

import pytest

from tests.cli.command import holdfast
from tests.cli.scene import given, rows
from tests.docs.page import blocks, links, run
from tests.repo.tree import ROOT

PAGE = "guides/schedules.md"
((_, PROGRAM),) = blocks(PAGE, "python")
((_, STATEMENT),) = blocks(PAGE, "sql")
((_, COMMANDS),) = blocks(PAGE, "sh")


@pytest.mark.slow
def test_the_program_prints_what_the_page_says(database_url: str) -> None:
    done = run(PROGRAM, database_url)
    (promise,) = re.findall(
        r"^It prints (.+): a run by hand", (ROOT / "docs" / PAGE).read_text(), re.MULTILINE
    )
    assert done.stdout.splitlines() == re.findall(r"`([^`]+)`", promise)


def test_its_statement_and_commands_work(database_url: str) -> None:
    given(database_url, lambda conn: conn.execute(STATEMENT))
    for line in COMMANDS.splitlines():
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        assert holdfast(*words[1:], url=database_url).code == 0, line
    found = rows(database_url, "select name, state, every::text from holdfast.schedule_view order by name")
    assert [tuple(row) for row in found] == [("cleanup", "paused", "00:05:00"), ("nightly", "new", None)]


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
