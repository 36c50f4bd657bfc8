"""The figures of one run of chaos, or of several together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdfast.cli.chaos.arena import LEASE, SWEEP
from holdfast.cli.chaos.plan import Plan
from holdfast.cli.chaos.run import Outcome

PROMISED = (LEASE + 2 * SWEEP).total_seconds()


@dataclass(slots=True)
class Tally:
    """`complaints`: all that must not be, in words; a run with any has failed."""

    seeds: list[int]
    faults: Sequence[str]
    fired: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    of_dead_workers: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    duplicated: int = 0
    wrong: int = 0
    late: int = 0
    complaints: list[str] = field(default_factory=list)


def tally_of(plan: Plan, outcome: Outcome) -> Tally:
    report, recoveries = outcome.report, outcome.recoveries
    counts = {name: int(count) for name, count in report.counts.items()}
    counts |= {name: getattr(report, name) for name in ("accepted", "refused", "indeterminate", "disturbed")}
    return Tally(
        [plan.seed],
        plan.faults,
        Counter(blow.fault for blow in outcome.blows),
        Counter(blow.fault for blow in outcome.blows if blow.hit),
        recoveries.by_fault,
        recoveries.of_dead_workers,
        Counter(counts | {"fenced": report.fenced}),
        len(report.lost),
        len(report.duplicated),
        len(report.wrong),
        len(recoveries.late),
        [*report.lost, *report.duplicated, *report.wrong, *_late(outcome), *_unproved(plan, outcome)],
    )


def total(tallies: Sequence[Tally]) -> Tally:
    """Complaints are told with the seed that they belong to."""
    found = Tally([], tallies[0].faults)
    for one in tallies:
        found.seeds += one.seeds
        found.fired += one.fired
        found.hit += one.hit
        found.counts += one.counts
        found.of_dead_workers += one.of_dead_workers
        for name, times in one.times.items():
            found.times.setdefault(name, []).extend(times)
        found.lost += one.lost
        found.duplicated += one.duplicated
        found.wrong += one.wrong
        found.late += one.late
        found.complaints += [f"seed {one.seeds[0]}: {complaint}" for complaint in one.complaints]
    return found


def _late(outcome: Outcome) -> list[str]:
    """A promise broken though nothing was lost."""
    return [
        f"late: jobs of worker {one.pid}, killed at {one.died:%H:%M:%S.%f}, were available again"
        f" after {one.seconds:.2f} s; promised are {PROMISED:g} s"
        for one in outcome.recoveries.late
    ]


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
