"""How long recovery took after each fault, on the database's clock.

The jobs of a killed worker must be available again within a lease and two sweeps. That time starts at the
death, unless other faults made rescue impossible: while the database is down, or every other worker is
partitioned, stopped, dead or not yet started, no worker can sweep. Then the two sweeps are counted from the
end of that time, as if the lease had expired just then.
"""

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles

from chaos.cluster import LEASE
from chaos.fault_injector import Injection
from chaos.faults import FAULTS
from holdfast.db.connect import Database

# When jobs of a worker that was dead, or considered dead, were available again.
RESCUED = """
select w.pid, a.ended_at as at
from holdfast.attempts as a
join holdfast.workers as w on w.id = a.worker_id
where a.outcome in ('lost', 'forgiven')
"""
# Without the workers of the time box workload, which live in this process and for too short a time.
STARTED = """
select pid, min(started_at) as at
from holdfast.workers
where pid <> $1
  and renewed_at > started_at
group by pid
"""
ENDS = "select ended_at from holdfast.history order by ended_at"


@dataclass(frozen=True, slots=True)
class Recovery:
    p50: float
    p95: float
    max: float


@dataclass(frozen=True, slots=True)
class Rescue:
    """When all jobs of a dead worker were available again."""

    pid: int
    died: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class Late:
    """A dead worker whose jobs were not available again in time."""

    pid: int
    died: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class Recoveries:
    """Seconds, by fault; and for each dead worker that held jobs, counted as the promise says."""

    by_fault: dict[str, list[float]]
    of_dead_workers: list[float]
    late: Sequence[Late] = ()


async def measure(database: Database, injections: Sequence[Injection], within: timedelta) -> Recoveries:
    """A dead worker's jobs: until all were rescued. Any other fault: from its end to a job's next end."""
    back = [(row["pid"], row["at"]) for row in await database.fetch(RESCUED)]
    ends = [row["ended_at"] for row in await database.fetch(ENDS)]
    started = {row["pid"]: row["at"] for row in await database.fetch(STARTED, os.getpid())}
    times: dict[str, list[float]] = defaultdict(list)
    dead: list[float] = []
    late: list[Late] = []
    for injection in injections:
        rescues = [
            Rescue(pid, died, max(taken))
            for pid, died in injection.deaths.items()
            if (taken := [at for owner, at in back if owner == pid and at >= died])
        ]
        for rescue in rescues:
            times[injection.fault].append((rescue.at - rescue.died).total_seconds())
            clock = max(rescue.died, possible_since(rescue.at, injections, started) - LEASE)
            dead.append((rescue.at - clock).total_seconds())
            if dead[-1] > within.total_seconds():
                late.append(Late(rescue.pid, rescue.died, dead[-1]))
        if injection.hit and not rescues and (healed := _next(ends, injection.ended)) is not None:
            times[injection.fault].append((healed - injection.ended).total_seconds())
    return Recoveries(dict(times), dead, late)


def possible_since(
    moment: datetime, injections: Sequence[Injection], started: Mapping[int, datetime]
) -> datetime:
    """Since when, up to that moment, the database was up and at least one worker could sweep."""
    changes = [
        *started.values(),
        *(at for injection in injections for at in (injection.began, injection.ended)),
    ]
    changes += [died for injection in injections for died in injection.deaths.values()]
    since = moment
    for change in sorted({at for at in changes if at < moment}, reverse=True):
        if not _is_possible(change, injections, started):
            return since
        since = change
    return since


def _is_possible(at: datetime, injections: Sequence[Injection], started: Mapping[int, datetime]) -> bool:
    able = {pid for pid, start in started.items() if start <= at}
    for injection in injections:
        able -= {pid for pid, died in injection.deaths.items() if died <= at}
        if injection.began <= at < injection.ended:
            able -= injection.affected
            if FAULTS[injection.fault].is_shared:
                return False
    return bool(able)


def _next(ends: list[datetime], after: datetime) -> datetime | None:
    place = bisect_left(ends, after)
    return ends[place] if place < len(ends) else None


def summary(times: Sequence[float]) -> Recovery:
    if len(times) == 1:
        return Recovery(times[0], times[0], times[0])
    cuts = quantiles(times, n=100, method="inclusive")
    return Recovery(cuts[49], cuts[94], max(times))
