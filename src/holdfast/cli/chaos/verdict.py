"""What a run of chaos is told at its end, and whether it passed."""

from collections import Counter

from holdfast.cli.chaos.arena import LEASE, SWEEP
from holdfast.cli.chaos.plan import Plan
from holdfast.cli.chaos.run import Outcome
from holdfast.cli.output import write
from holdfast.cli.render import print_table

MOST_TOLD = 20


def conclude(plan: Plan, outcome: Outcome) -> bool:
    """True if it passed."""
    _print_faults(plan, outcome)
    report, counts = outcome.report, outcome.report.counts
    write(
        f"losses {counts['losses']}, failures {counts['failures']}, deferrals {counts['deferrals']},"
        f" released {counts['released']}, fenced {report.fenced}, dead {counts['dead']}"
    )
    write(
        f"enqueues disturbed {report.disturbed},"
        f" refused {report.refused}, indeterminate {report.indeterminate}"
    )
    _print_promise(outcome)
    complaints = [*report.lost, *report.duplicated, *report.wrong, *_unproved(plan, outcome)]
    for complaint in complaints[:MOST_TOLD]:
        write(f"wrong: {complaint}")
    write(
        f"chaos: seed {plan.seed}, {report.accepted} accepted, {len(report.lost)} lost,"
        f" {len(report.duplicated)} duplicated, {len(report.wrong)} wrong"
    )
    return not complaints


def _print_faults(plan: Plan, outcome: Outcome) -> None:
    fired = Counter(blow.fault for blow in outcome.blows)
    hit = Counter(blow.fault for blow in outcome.blows if blow.hit)
    times = outcome.recoveries.by_fault
    rows = (
        (name, fired[name], hit[name], *(_seconds(name in times and getattr(times[name], p)) for p in PLACES))
        for name in plan.faults
    )
    print_table(("fault", "fired", "hit", "recovery p50", "p95", "max"), rows, keep=("fault",))


PLACES = ("p50", "p95", "max")


def _seconds(value: float | bool) -> str:
    return "" if value is False else f"{value:.2f} s"


def _print_promise(outcome: Outcome) -> None:
    longest = outcome.recoveries.of_dead_workers
    if longest is not None:
        bound = (LEASE + 2 * SWEEP).total_seconds()
        write(f"jobs of dead workers were available again within {longest:.2f} s; promised are {bound:g} s")


def _unproved(plan: Plan, outcome: Outcome) -> list[str]:
    """A run that did no harm proves nothing."""
    fired = {blow.fault for blow in outcome.blows}
    found = [f"{name} never fired" for name in plan.faults if name not in fired]
    if outcome.report.fenced == 0:
        found.append("no late writer was ever fenced")
    if outcome.report.counts["dead"]:
        found.append(
            f"{outcome.report.counts['dead']} jobs are dead, which only an error of the mix can explain"
        )
    if outcome.report.accepted == 0:
        found.append("no job was accepted")
    return found
