"""How long it took until the harm of a fault was made good, on the database's clock.

The jobs of a worker that was killed are promised to be available again within a lease and two sweeps. The
clock of that starts at the death, unless somebody else made rescue impossible: while the database is away, or
every other worker is cut off, stopped, dead or not yet there, nobody can sweep. Then the two sweeps are
counted from the end of that time, as if the lease had run out just then.
"""

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles

from holdfast.cli.chaos.arena import LEASE
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
# Without those of the boxed part, which live in our own process and too shortly to count on.
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
    """Seconds, by fault; and for each dead worker that held jobs, counted as promised."""

    by_fault: dict[str, list[float]]
    of_dead_workers: list[float]
    late: Sequence[Late] = ()


async def measure(database: Database, blows: Sequence[Blow], within: timedelta) -> Recoveries:
    """A dead worker's jobs: until all were taken back. Any other fault: from its end to a job's next end."""
    back = [(row["pid"], row["at"]) for row in await database.fetch(TAKEN_BACK)]
    ends = [row["ended_at"] for row in await database.fetch(ENDS)]
    started = {row["pid"]: row["at"] for row in await database.fetch(STARTED, os.getpid())}
    times: dict[str, list[float]] = defaultdict(list)
    dead: list[float] = []
    late: list[Late] = []
    for blow in blows:
        rescues = [
            Rescue(pid, died, max(taken))
            for pid, died in blow.deaths.items()
            if (taken := [at for owner, at in back if owner == pid and at >= died])
        ]
        for rescue in rescues:
            times[blow.fault].append((rescue.at - rescue.died).total_seconds())
            clock = max(rescue.died, possible_since(rescue.at, blows, started) - LEASE)
            dead.append((rescue.at - clock).total_seconds())
            if dead[-1] > within.total_seconds():
                late.append(Late(rescue.pid, rescue.died, dead[-1]))
        if blow.hit and not rescues and (healed := _next(ends, blow.ended)) is not None:
            times[blow.fault].append((healed - blow.ended).total_seconds())
    return Recoveries(dict(times), dead, late)


def possible_since(moment: datetime, blows: Sequence[Blow], started: Mapping[int, datetime]) -> datetime:
    """Since when, up to that moment, the database was there and at least one worker could sweep."""
    changes = [*started.values(), *(at for blow in blows for at in (blow.began, blow.ended))]
    changes += [died for blow in blows for died in blow.deaths.values()]
    since = moment
    for change in sorted({at for at in changes if at < moment}, reverse=True):
        if not _is_possible(change, blows, started):
            return since
        since = change
    return since


def _is_possible(at: datetime, blows: Sequence[Blow], started: Mapping[int, datetime]) -> bool:
    able = {pid for pid, start in started.items() if start <= at}
    for blow in blows:
        able -= {pid for pid, died in blow.deaths.items() if died <= at}
        if blow.began <= at < blow.ended:
            able -= blow.victims
            if FAULTS[blow.fault].is_shared:
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
