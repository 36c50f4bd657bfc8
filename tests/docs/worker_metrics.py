"""Writes the table in docs/metrics.md: `python -m tests.docs.worker_metrics` after a change of a figure."""

import asyncio
from datetime import timedelta
from uuid import uuid4

from holdfast import Holdfast
from holdfast.model.id import WorkerId
from holdfast.telemetry.prometheus_text import Family
from holdfast.worker.lease.lease import Registration
from holdfast.worker.metrics.worker_figures import worker_figures
from holdfast.worker.options import WorkerOptions
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.worker_state import WorkerState
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "metrics.md"
BEGIN, END = "<!-- written by python -m tests.docs.worker_metrics -->\n", "<!-- end -->\n"


async def page() -> str:
    text = PAGE.read_text("utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, maxsplit=1)[1]
    return f"{before}{BEGIN}{_table(_served())}{END}{after}"


def _served() -> list[Family]:
    """By a worker with a time box that has sent a statement: so every metric has its labels."""
    box = TimeBox(timedelta(minutes=1), timedelta(seconds=5))
    registration = Registration(WorkerId(uuid4()), ["default"], {})
    app = Holdfast("postgresql://nobody@127.0.0.1:1/nowhere")
    state = WorkerState(app, WorkerOptions(("default",), box=box), registration)
    state.main.times["select holdfast.settle_and_claim()"] = [1, 0.1]
    return worker_figures(state)


def _table(families: list[Family]) -> str:
    lines = (
        f"| `{family.name}` | {family.kind} | {_labels(family)} | {family.help} |" for family in families
    )
    return "\n".join(["| name | type | labels | meaning |", "|---|---|---|---|", *lines, ""])


def _labels(family: Family) -> str:
    """With their values where a worker that has just started has several."""
    values: dict[str, list[str]] = {}
    for sample in family.samples:
        for label, value in sample.labels.items():
            values.setdefault(label, []).append(value)
    return ", ".join(
        f"`{label}`: {', '.join(found)}" if len(found) > 1 else f"`{label}`"
        for label, found in values.items()
    )


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(page()), "utf-8")
