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
    """`complaints`: all that must not be, in words; a run with any has failed.

    `deaths`: workers that a fault ended. `missed`: how often a fault could not be done.
    """

    seeds: list[int]
    faults: Sequence[str]
    fired: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
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
        fired=Counter(blow.fault for blow in outcome.blows),
        hit=Counter(blow.fault for blow in outcome.blows if blow.hit),
        deaths=Counter(blow.fault for blow in outcome.blows for _ in blow.deaths),
        missed=Counter(miss.fault for miss in outcome.misses),
        times=recoveries.by_fault,
        of_dead_workers=recoveries.of_dead_workers,
        counts=Counter(counts | {"fenced": report.fenced, "stopped": report.stopped}),
        lost=len(report.lost),
        duplicated=len(report.duplicated),
        wrong=len(report.wrong),
        late=len(recoveries.late),
        complaints=[
            *report.lost,
            *report.duplicated,
            *report.wrong,
            *_late(outcome),
            *_unproved(plan, outcome),
        ],
    )


def tally_of_ruin(plan: Plan, exc: Exception) -> Tally:
    """Of a run that did not come to its end: nothing is known but that."""
    complaint = f"the run broke off: {'; '.join(_said(exc))}"
    return Tally([plan.seed], plan.faults, wrong=1, complaints=[complaint])


def total(tallies: Sequence[Tally]) -> Tally:
    """Complaints are told with the seed that they belong to."""
    found = Tally([], tallies[0].faults)
    for one in tallies:
        found.seeds += one.seeds
        found.fired += one.fired
        found.hit += one.hit
        found.deaths += one.deaths
        found.missed += one.missed
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
    fired = Counter(blow.fault for blow in outcome.blows)
    hit = {blow.fault for blow in outcome.blows if blow.hit}
    found = [f"{name} never fired{_why(name, outcome)}" for name in plan.faults if name not in fired]
    found += [f"{name} fired {fired[name]} times and hit nobody" for name in fired if name not in hit]
    if outcome.report.fenced == 0:
        found.append("no late writer was ever fenced")
    if outcome.report.accepted == 0:
        found.append("no job was accepted")
    return found


def _why(name: str, outcome: Outcome) -> str:
    whys = [miss.why for miss in outcome.misses if miss.fault == name]
    return f": {whys[-1]}" if whys else ""


def _said(exc: BaseException) -> list[str]:
    """What the errors inside say, if it is a group."""
    if isinstance(exc, BaseExceptionGroup):
        return [said for inner in exc.exceptions for said in _said(inner)]
    return [f"{type(exc).__name__}: {exc}"]
