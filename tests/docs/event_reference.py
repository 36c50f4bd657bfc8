"""Writes the table in docs/events.md: `python -m tests.docs.event_reference` after a change of an event."""

import logging

from holdfast.telemetry.event_list import Event
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "events.md"
BEGIN, END = "<!-- written by python -m tests.docs.event_reference -->\n", "<!-- end -->\n"


def page() -> str:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}"


def table() -> str:
    rows = (
        (f"`{event.value}`", logging.getLevelName(event.level), event.meaning, " ".join(event.fields))
        for event in Event
    )
    lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join(["| event | level | meaning | fields |", "|---|---|---|---|", *lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
