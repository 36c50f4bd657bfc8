"""Who holds what others wait for, or go without."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.db.statement import Fetcher, fetch, fetch_row

HOLDER = """
select k.held_by, a.application_name, a.xact_start
from holdfast.lock_view as k
join pg_stat_activity as a on a.pid = k.held_by
where k.name = $1
"""

# A round that works takes seconds at most. Who may not see since when goes by the last success.
HELD_LOCKS = """
select k.name, k.held_by, a.application_name, a.xact_start
from holdfast.lock_view as k
join pg_stat_activity as a on a.pid = k.held_by
left join holdfast.chore_view as c on c.name = k.name
where coalesce(a.xact_start, c.succeeded_at) < clock_timestamp() - $1::interval
order by k.name
"""

# Who has taken jobs from a lost worker and does not commit that.
RESCUER = """
select a.pid, a.application_name, a.xact_start
from pg_locks as l
join pg_stat_activity as a on a.pid = l.pid
where l.relation = 'holdfast.workers'::regclass
  and l.mode = 'RowExclusiveLock'
  and a.xact_start < clock_timestamp() - $1::interval
order by a.xact_start
limit 1
"""

# Who waits behind others in the same line waits for them, too.
WAITS = """
select l.pid, a.application_name, b.pid, h.application_name, h.xact_start
from pg_locks as l
join pg_stat_activity as a on a.pid = l.pid
cross join lateral unnest(pg_blocking_pids(l.pid)) as b (pid)
join pg_stat_activity as h on h.pid = b.pid
where not l.granted
  and a.datname = current_database()
  and (l.pid = any ($1::integer[]) or a.application_name = any ($2::text[]))
order by h.xact_start
"""

# The two halves of the key, as PostgreSQL shows it.
ADVISORY_HOLDER = """
select l.pid, a.application_name, a.xact_start
from pg_locks as l
join pg_stat_activity as a on a.pid = l.pid
where l.locktype = 'advisory'
  and l.database = (select oid from pg_database where datname = current_database())
  and l.objsubid = 1
  and (l.classid::bigint << 32 | l.objid::bigint) = $1::bigint
  and l.granted
"""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process with an open transaction; `since` is when that began, if this user may see it."""

    pid: int
    application: str
    since: datetime | None

    def __str__(self) -> str:
        return f"process {self.pid} ({self.application or 'unnamed'})"


@dataclass(frozen=True, slots=True)
class LockWait:
    pid: int
    application: str
    holder: Holder


async def holder_of(on: Fetcher, lock: str) -> Holder | None:
    """Who is at a chore that one does at a time."""
    row = await fetch_row(on, HOLDER, lock)
    return None if row is None else Holder(*row)


async def lock_waits(on: Fetcher, pids: Iterable[int], applications: Iterable[str]) -> list[LockWait]:
    """Which of these processes, or of those of these applications, wait for locks of whom."""
    rows = await fetch(on, WAITS, list(pids), list(applications))
    return [LockWait(pid, name, Holder(*holder)) for pid, name, *holder in rows]


async def advisory_holder(on: Fetcher, key: int) -> Holder | None:
    row = await fetch_row(on, ADVISORY_HOLDER, key)
    return None if row is None else Holder(*row)


async def held_locks(on: Fetcher, patience: timedelta) -> dict[str, Holder]:
    """What one does at a time and nobody else could do for so long, and who keeps them from it."""
    return {name: Holder(*row) for name, *row in await fetch(on, HELD_LOCKS, patience)}


async def idle_rescuer(on: Fetcher, patience: timedelta) -> Holder | None:
    """Whose open transaction has changed the row of a worker, as a rescue does, for so long."""
    row = await fetch_row(on, RESCUER, patience)
    return None if row is None else Holder(*row)
