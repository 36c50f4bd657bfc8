"""How long it took until the harm of a fault was made good, on the database's clock."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles

from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.nemesis import Blow
from holdfast.db.connect import Database

# When the jobs of a worker that was dead or taken for dead were available again.
TAKEN_BACK = """
select w.pid, a.ended_at as at
from holdfast.attempts as a
join holdfast.workers as w on w.id = a.worker_id
where a.outcome in ('lost', 'forgiven')
"""
ENDS = "select ended_at from holdfast.history order by ended_at"


@dataclass(frozen=True, slots=True)
class Recovery:
    p50: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True)
class Recoveries:
    """`by_fault`: seconds. `of_dead_workers`: the longest of those that nothing else disturbed, if any."""

    by_fault: dict[str, Recovery]
    of_dead_workers: float | None


async def measure(database: Database, blows: Sequence[Blow], within: timedelta) -> Recoveries:
    """A dead worker's jobs: until all were taken back. Any other fault: from its end to a job's next end."""
    back = [(row["pid"], row["at"]) for row in await database.fetch(TAKEN_BACK)]
    ends = [row["ended_at"] for row in await database.fetch(ENDS)]
    times: dict[str, list[float]] = defaultdict(list)
    undisturbed: list[float] = []
    for blow in blows:
        taken = [at for pid, at in back if pid in blow.pids and at >= blow.began]
        healed = max(taken) if taken else _next(ends, blow.ended)
        if healed is None or not blow.hit:
            continue
        times[blow.fault].append((healed - (blow.began if taken else blow.ended)).total_seconds())
        if taken and not _is_disturbed(blow, blows, within):
            undisturbed.append(times[blow.fault][-1])
    return Recoveries(
        {name: _summary(found) for name, found in times.items()}, max(undisturbed, default=None)
    )


def _next(ends: list[datetime], after: datetime) -> datetime | None:
    place = bisect_left(ends, after)
    return ends[place] if place < len(ends) else None


def _is_disturbed(blow: Blow, blows: Sequence[Blow], within: timedelta) -> bool:
    """By a fault that harms the workers who would take the jobs back."""
    return any(
        other is not blow
        and FAULTS[other.fault].is_shared
        and other.began < blow.began + within
        and other.ended > blow.began - within
        for other in blows
    )


def _summary(times: list[float]) -> Recovery:
    if len(times) == 1:
        return Recovery(times[0], times[0], times[0])
    cuts = quantiles(times, n=100, method="inclusive")
    return Recovery(cuts[49], cuts[94], max(times))
