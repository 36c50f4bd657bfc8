"""The holders of locks that other sessions wait for or skip."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.db.read_rows import read_first
from holdfast.db.statement import Fetcher, fetch, fetch_value

LIMIT_WAITS = "select pg_backend_pid() from set_config('lock_timeout', $1, true)"

HOLDER = """
select k.held_by, a.application_name, a.xact_start
from holdfast.lock_view as k
join pg_stat_activity as a on a.pid = k.held_by
where k.name = $1
"""

# A working round takes seconds at most. A user who may not see xact_start gets the last success instead.
HELD_LOCKS = """
select k.name, k.held_by, a.application_name, a.xact_start
from holdfast.lock_view as k
join pg_stat_activity as a on a.pid = k.held_by
left join holdfast.maintenance_view as c on c.name = k.name
where coalesce(a.xact_start, c.succeeded_at) < clock_timestamp() - $1::interval
order by k.name
"""

# Transactions that have rescued jobs from a lost worker and do not commit.
RESCUER = """
select a.pid, a.application_name, a.xact_start
from pg_locks as l
join pg_stat_activity as a on a.pid = l.pid
where l.relation = 'holdfast.workers'::regclass
  and l.database = (select oid from pg_database where datname = current_database())
  and l.mode = 'RowExclusiveLock'
  and a.xact_start < clock_timestamp() - $1::interval
order by a.xact_start
limit 1
"""

# A session that waits behind others for the same lock waits for them, too.
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
    """A process with an open transaction; `since` is its start, if this user may see it."""

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


async def limit_lock_waits(on: Fetcher, patience: timedelta) -> int:
    """Bounds each wait for a lock until the transaction ends. Returns the backend's pid."""
    milliseconds = str(int(patience.total_seconds() * 1000))
    return int(await fetch_value(on, LIMIT_WAITS, milliseconds))


async def holder_of(on: Fetcher, lock: str) -> Holder | None:
    """The process that runs a maintenance task that only one may run."""
    return await read_first(on, Holder, HOLDER, lock)


async def lock_waits(on: Fetcher, pids: Iterable[int], applications: Iterable[str]) -> list[LockWait]:
    """Which of these processes and applications wait for locks, and the holders."""
    rows = await fetch(on, WAITS, list(pids), list(applications))
    return [LockWait(pid, name, Holder(*holder)) for pid, name, *holder in rows]


async def advisory_holder(on: Fetcher, key: int) -> Holder | None:
    return await read_first(on, Holder, ADVISORY_HOLDER, key)


async def held_locks(on: Fetcher, patience: timedelta) -> dict[str, Holder]:
    """Exclusive maintenance tasks that were blocked for this long, and the processes that block them."""
    return {name: Holder(*row) for name, *row in await fetch(on, HELD_LOCKS, patience)}


async def idle_rescuer(on: Fetcher, patience: timedelta) -> Holder | None:
    """The open transaction that has changed a worker's row, as a rescue does, for this long."""
    return await read_first(on, Holder, RESCUER, patience)
