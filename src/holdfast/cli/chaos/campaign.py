"""Several runs of chaos, one after the other, and their sum."""

import asyncio
import shutil
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from holdfast.cli.chaos.plan import Plan, save_plan
from holdfast.cli.chaos.run import run_chaos
from holdfast.cli.chaos.tally import Tally, tally_of, tally_of_ruin, total
from holdfast.cli.chaos.verdict import lacks, lines_of, minimums
from holdfast.cli.output import command, flush, say, say_lines, write

LONG = 3599.0  # seconds; from an hour on, split or not, a run is asked for a minimum of harm


def campaign(plans: Sequence[Plan], save: Path, report: Path | None) -> bool:
    """True if every run passed. A plan that failed is saved, and the others are still done."""
    tallies = [_run(plan, save) for plan in plans]
    seconds = sum(plan.length.total_seconds() for plan in plans)
    found = total(tallies)
    if seconds >= LONG:
        found.complaints += lacks(found)
    lines = _sum(found, seconds)
    if len(plans) > 1:
        _tell(lines)
    if report is not None:
        report.write_text("\n".join([f"seeds: {', '.join(str(plan.seed) for plan in plans)}", *lines, ""]))
    return not found.complaints


def _run(plan: Plan, save: Path) -> Tally:
    say(f"chaos: seed {plan.seed}")
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        tally = _outcome(Path(directory), plan)
        _tell(list(lines_of(tally)))
        if tally.complaints:
            _keep(plan, Path(directory), save)
    return tally


def _outcome(directory: Path, plan: Plan) -> Tally:
    try:
        return tally_of(plan, asyncio.run(run_chaos(directory, plan)))
    except Exception as exc:  # of whatever kind: the other seeds are still to be done
        say_lines(traceback.format_exc())
        return tally_of_ruin(plan, exc)


def _keep(plan: Plan, directory: Path, save: Path) -> None:
    """The schedule, and what the workers and the server said."""
    path, logs = save / f"chaos-{plan.seed}.json", save / f"chaos-{plan.seed}-logs"
    save_plan(plan, path)
    say(f"chaos: the schedule is in {path}; {command('chaos', '--replay', str(path))} does it again")
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    for log in (*directory.glob("logs/*.log"), *directory.glob("start.log"), *directory.glob("*/log/*.log")):
        shutil.copyfile(log, logs / log.name)
    say(f"chaos: the logs of the workers and of the server are in {logs}")


def _sum(found: Tally, seconds: float) -> list[str]:
    *lines, last = lines_of(found)
    asked = [minimums(found)] if seconds >= LONG else []
    return [*lines, *asked, f"{last}; {seconds / 60:g} minutes of harm"]


def _tell(lines: Sequence[str]) -> None:
    for line in lines:
        write(line)
    flush()
