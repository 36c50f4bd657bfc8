"""The figures of one run, or of several together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from chaos.cluster import LEASE, SWEEP
from chaos.run_chaos import Outcome
from chaos.schedule import Schedule

PROMISED = (LEASE + 2 * SWEEP).total_seconds()


@dataclass(slots=True)
class Tally:
    """`complaints`: sentences about what is wrong; a run with any has failed.

    `deaths`: workers that a fault ended. `not_injected`: how often a fault could not be injected.
    """

    seeds: list[int]
    faults: Sequence[str]
    fired: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    not_injected: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    of_dead_workers: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    duplicated: int = 0
    wrong: int = 0
    late: int = 0
    complaints: list[str] = field(default_factory=list)


def tally_of(schedule: Schedule, outcome: Outcome) -> Tally:
    report, recoveries = outcome.report, outcome.recoveries
    counts = {name: int(count) for name, count in report.counts.items()}
    counts |= {name: getattr(report, name) for name in ("accepted", "refused", "indeterminate", "disturbed")}
    return Tally(
        [schedule.seed],
        schedule.faults,
        fired=Counter(injection.fault for injection in outcome.injections),
        hit=Counter(injection.fault for injection in outcome.injections if injection.hit),
        deaths=Counter(injection.fault for injection in outcome.injections for _ in injection.deaths),
        not_injected=Counter(one.fault for one in outcome.failed),
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
            *_unproven(schedule, outcome),
        ],
    )


def tally_of_aborted(schedule: Schedule, exc: Exception) -> Tally:
    """Of a run that was aborted: nothing else is known."""
    complaint = f"the run was aborted: {'; '.join(_messages(exc))}"
    return Tally([schedule.seed], schedule.faults, wrong=1, complaints=[complaint])


def total(tallies: Sequence[Tally]) -> Tally:
    """Each complaint names its seed."""
    found = Tally([], tallies[0].faults)
    for one in tallies:
        found.seeds += one.seeds
        found.fired += one.fired
        found.hit += one.hit
        found.deaths += one.deaths
        found.not_injected += one.not_injected
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
    """A broken promise, though no job was lost."""
    return [
        f"late: jobs of worker {one.pid}, killed at {one.died:%H:%M:%S.%f}, were available again"
        f" after {one.seconds:.2f} s; the promise is {PROMISED:g} s"
        for one in outcome.recoveries.late
    ]


def _unproven(schedule: Schedule, outcome: Outcome) -> list[str]:
    """A run without effective faults proves nothing."""
    fired = Counter(injection.fault for injection in outcome.injections)
    hit = {injection.fault for injection in outcome.injections if injection.hit}
    found = [
        f"{name} was never injected{_why(name, outcome)}" for name in schedule.faults if name not in fired
    ]
    found += [
        f"{name} was injected {fired[name]} times and affected no process"
        for name in fired
        if name not in hit
    ]
    if outcome.report.fenced == 0:
        found.append("no late write was ever fenced")
    if outcome.report.accepted == 0:
        found.append("no job was accepted")
    return found


def _why(name: str, outcome: Outcome) -> str:
    whys = [failure.why for failure in outcome.failed if failure.fault == name]
    return f": {whys[-1]}" if whys else ""


def _messages(exc: BaseException) -> list[str]:
    """Of each error inside, if it is a group."""
    if isinstance(exc, BaseExceptionGroup):
        return [text for inner in exc.exceptions for text in _messages(inner)]
    return [f"{type(exc).__name__}: {exc}"]
