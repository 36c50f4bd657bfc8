"""One run per schedule, and their sum."""

import asyncio
import shlex
import shutil
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from chaos.output import say, write
from chaos.run_chaos import run_chaos
from chaos.run_figures import Tally, tally_of, tally_of_aborted, total
from chaos.schedule import Schedule, save_schedule
from chaos.verdict_lines import lines_of, minimums, shortfalls

LONG = 3599.0  # seconds; from an hour on, split or not, there is a minimum of injected faults


def campaign(schedules: Sequence[Schedule], save: Path, report: Path | None) -> bool:
    """True if every run passed. A schedule that failed is saved, and the others still run."""
    tallies = [_run(schedule, save) for schedule in schedules]
    seconds = sum(schedule.length.total_seconds() for schedule in schedules)
    found = total(tallies)
    if seconds >= LONG:
        found.complaints += shortfalls(found)
    lines = _sum(found, seconds)
    if len(schedules) > 1:
        write(lines)
    if report is not None:
        seeds = ", ".join(str(schedule.seed) for schedule in schedules)
        report.write_text("\n".join([f"seeds: {seeds}", *lines, ""]))
    return not found.complaints


def _run(schedule: Schedule, save: Path) -> Tally:
    say(f"chaos: seed {schedule.seed}")
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        tally = _outcome(Path(directory), schedule)
        write(lines_of(tally))
        if tally.complaints:
            _keep(schedule, Path(directory), save)
    return tally


def _outcome(directory: Path, schedule: Schedule) -> Tally:
    try:
        return tally_of(schedule, asyncio.run(run_chaos(directory, schedule)))
    except Exception as exc:  # of any kind: the other seeds still run
        say(traceback.format_exc())
        return tally_of_aborted(schedule, exc)


def _keep(schedule: Schedule, directory: Path, save: Path) -> None:
    """The schedule, and the logs of the workers and the servers."""
    path, logs = save / f"chaos-{schedule.seed}.json", save / f"chaos-{schedule.seed}-logs"
    save_schedule(schedule, path)
    say(f"chaos: the schedule is in {path}; ./dev chaos --replay {shlex.quote(str(path))} repeats it")
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    for log in (*directory.glob("logs/*.log"), *directory.glob("start.log"), *directory.glob("*/log/*.log")):
        shutil.copyfile(log, logs / log.name)
    for log in directory.glob("api/*/*.log"):
        shutil.copyfile(log, logs / f"{log.parent.name}-{log.name}")
    say(f"chaos: the logs of the workers and of the servers are in {logs}")


def _sum(found: Tally, seconds: float) -> list[str]:
    *lines, last = lines_of(found)
    asked = [minimums(found)] if seconds >= LONG else []
    return [*lines, *asked, f"{last}; {seconds / 60:g} minutes of faults"]
