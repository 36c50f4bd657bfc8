"""Writes the table and the chart into the documentation."""

import re
from collections.abc import Sequence
from pathlib import Path

from bench.flow.bars import Means
from bench.flow.chart import chart
from bench.flow.report import table

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "guides" / "protect-a-model-server.md"
CHART = DOCS / "screens" / "flow.svg"
TABLE = re.compile(r"(<!-- bench flow -->\n).*?(\n<!-- end -->)", re.DOTALL)


def write(means: Means, controllers: Sequence[str], scenarios: Sequence[str]) -> None:
    CHART.write_text(chart(means, controllers, scenarios), encoding="utf-8")
    page = GUIDE.read_text(encoding="utf-8")
    shown = table(means, controllers, scenarios)
    if not TABLE.search(page):
        raise ValueError(f"{GUIDE} has no place for the table: <!-- bench flow --> … <!-- end -->")
    GUIDE.write_text(TABLE.sub(lambda found: found[1] + shown + found[2], page), encoding="utf-8")
