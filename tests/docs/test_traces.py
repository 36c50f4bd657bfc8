"""The guide to traces is true: its program prints what the page says, and its table names every attribute."""

from holdfast.db.connect import Connection
from holdfast.telemetry import trace_names
from tests.docs.page import blocks, links, run
from tests.repo.tree import ROOT

PAGE = "guides/traces.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


def test_the_program_prints_its_spans(database_url: str) -> None:
    ((_, program),) = blocks(PAGE, "python")
    ((_, printed),) = blocks(PAGE, "text")
    assert run(program, database_url).stdout == printed


async def test_the_statements_store_a_context(conn: Connection) -> None:
    ((_, statements),) = blocks(PAGE, "sql")
    await conn.execute(statements)
    rows = await conn.fetch("select trace ->> 'tracestate' as state from holdfast.jobs order by id")
    assert [row["state"] for row in rows] == [None, "vendor=1"]


def test_it_names_every_attribute() -> None:
    named = [value for name, value in vars(trace_names).items() if name.isupper() and "." in str(value)]
    assert len(named) > 20
    assert [name for name in named if f"`{name}`" not in TEXT] == []


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
