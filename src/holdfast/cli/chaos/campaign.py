"""Several runs of chaos, one after the other, and their sum."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from holdfast.cli.chaos.plan import Plan, save_plan
from holdfast.cli.chaos.run import run_chaos
from holdfast.cli.chaos.tally import Tally, tally_of, total
from holdfast.cli.chaos.verdict import lines_of, minimums
from holdfast.cli.output import flush, say, write

LONG = 3600.0  # seconds; from then on a run is asked for a minimum of harm


def campaign(plans: Sequence[Plan], save: Path, report: Path | None) -> bool:
    """True if every run passed. A plan that failed is saved, and the others are still done."""
    tallies = [_run(plan, save) for plan in plans]
    lines = list(_sum(plans, tallies))
    if len(plans) > 1:
        _tell(lines)
    if report is not None:
        report.write_text("\n".join([f"seeds: {', '.join(str(plan.seed) for plan in plans)}", *lines, ""]))
    return not any(tally.complaints for tally in tallies)


def _run(plan: Plan, save: Path) -> Tally:
    say(f"chaos: seed {plan.seed}")
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        outcome = asyncio.run(run_chaos(Path(directory), plan))
    tally = tally_of(plan, outcome)
    _tell(list(lines_of(tally)))
    if tally.complaints:
        path = save / f"chaos-{plan.seed}.json"
        save_plan(plan, path)
        say(f"chaos: the schedule is in {path}; holdfast chaos --replay {path} does it again")
    return tally


def _sum(plans: Sequence[Plan], tallies: Sequence[Tally]) -> list[str]:
    found = total(tallies)
    *lines, last = lines_of(found)
    seconds = sum(plan.length.total_seconds() for plan in plans)
    asked = [minimums(found)] if seconds >= LONG else []
    return [*lines, *asked, f"{last}; {seconds / 60:g} minutes of harm"]


def _tell(lines: Sequence[str]) -> None:
    for line in lines:
        write(line)
    flush()
