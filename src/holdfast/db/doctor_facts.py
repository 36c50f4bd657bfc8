"""The facts that `doctor` reads from the server; it judges them elsewhere."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath
from uuid import uuid4

from holdfast.db.address import Address
from holdfast.db.connect import Database, connect
from holdfast.db.database_errors import translated
from holdfast.db.read_rows import read_all, read_first, read_one
from holdfast.db.sql_files import load_sql_files
from holdfast.db.statement import fetch, fetch_value

SERVER = """
select
  current_setting('server_version_num')::integer as version_number,
  current_setting('server_version') as version,
  array(
    select name from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    order by name
  ) as unsafe,
  current_setting('autovacuum') = 'on' as vacuums,
  current_setting('max_connections')::integer
    - current_setting('superuser_reserved_connections')::integer as connections,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections_used
"""

CLOCK = "select clock_timestamp()"

TABLE_OPTIONS = "select coalesce(reloptions, '{}') from pg_class where oid = 'holdfast.jobs'::regclass"

PARTITIONS_AHEAD = """
select count(*)
from pg_inherits
join pg_class on pg_class.oid = inhrelid
where inhparent = 'holdfast.history'::regclass
  and relname ~ '^history_[0-9]{4}w[0-9]{2}$'
  and relname >= 'history_' || to_char(clock_timestamp() at time zone 'UTC', 'IYYY"w"IW')
"""

WORKERS = """
with overdue as materialized (
  select id from holdfast.worker_view where state = 'lost' and lease_until < holdfast.now() - $1::interval
), held as materialized (
  select j.worker, coalesce(q.value, f.value) = 'on' as may_be_rescued
  from holdfast.job_view as j
  join holdfast.flag_view as f on f.name = 'rescue' and f.queue is null
  left join holdfast.flag_view as q on q.name = 'rescue' and q.queue = j.queue
  where j.state = 'running' and j.ended_at is null and j.worker in (select id from overdue)
)
select
  (select count(*) from holdfast.worker_view where state in ('working', 'draining')) as live,
  (select count(*) from holdfast.worker_view where state = 'lost') as lost,
  (select count(*) from overdue) as overdue,
  (select count(distinct worker) from held where may_be_rescued) as unrescued,
  (select count(distinct worker) from held where not may_be_rescued) as kept
"""

NEGLECTED_QUEUES = "select holdfast.neglected_queues($1::integer)"

OLDEST_SNAPSHOT = """
select pid, application_name, clock_timestamp() - xact_start as age
from pg_stat_activity
where backend_xmin is not null
  and backend_type = 'client backend'
  and datname = current_database()
  and pid <> pg_backend_pid()
  and xact_start < clock_timestamp() - $1::interval
order by xact_start
limit 1
"""

LONG_TRANSACTIONS = """
select pid, application_name, state, clock_timestamp() - xact_start as age
from pg_stat_activity
where backend_type = 'client backend'
  and datname = current_database()
  and pid <> pg_backend_pid()
  and xact_start < clock_timestamp() - $1::interval
order by xact_start
limit 5
"""

BACKEND = "select pg_backend_pid()"

SEES_OTHERS = "select pg_has_role(current_user, 'pg_read_all_stats', 'usage')"

# Jobs that the maintenance tasks of any worker should have handled long ago.
OVERDUE = """
select
  (
    select count(*)
    from (
      select from holdfast.job_view
      where ended_at is null and state = 'scheduled' and due_at < holdfast.now() - $1::interval
      limit 10000
    ) as late
  ),
  (
    select count(*)
    from (
      select from holdfast.job_view
      where ended_at is null and deadline < holdfast.now() - $1::interval
      limit 10000
    ) as late
  )
"""

# Only if a worker has been running for that long.
STUCK_MAINTENANCE = """
select c.name, c.succeeded_at
from holdfast.maintenance_view as c
where c.succeeded_at < holdfast.now() - $1::interval
  and exists (
    select from holdfast.worker_view as w
    where w.state = 'working' and w.started_at < holdfast.now() - $1::interval)
order by c.succeeded_at
"""

RELATIONS_AND_FUNCTIONS = """
select proname from pg_proc where pronamespace = 'holdfast'::regnamespace
union
select relname from pg_class where relnamespace = 'holdfast'::regnamespace
"""

INVALID_INDEXES = """
select indexrelid::regclass::text
from pg_index
join pg_class on pg_class.oid = indexrelid
where relnamespace = 'holdfast'::regnamespace
  and not indisvalid
order by 1
"""

# What `doctor` suggests to run.
FORGET_FUNCTIONS = "delete from holdfast.function_set"

RELOAD = "select pg_reload_conf()"

NOTIFY_WITHIN = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """`unsafe`: the settings that are off and let a crash lose commits."""

    version_number: int
    version: str
    unsafe: list[str]
    vacuums: bool
    connections: int
    connections_used: int


@dataclass(frozen=True, slots=True)
class WorkerCounts:
    """`overdue`: lost for longer than given. `unrescued`: those of them that still hold jobs; `kept`: those
    whose jobs stay because the flag rescue is off.
    """

    live: int
    lost: int
    overdue: int
    unrescued: int
    kept: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A transaction that keeps vacuum from removing rows that died since it began."""

    pid: int
    application: str
    age: timedelta


@dataclass(frozen=True, slots=True)
class Transaction:
    pid: int
    application: str
    state: str | None
    age: timedelta


@dataclass(frozen=True, slots=True)
class OverdueJobs:
    """Jobs that a maintenance task should have promoted or dead-lettered, each counted to 10,000."""

    scheduled: int
    expired: int


async def server(database: Database) -> ServerFacts:
    return await read_one(database, ServerFacts, SERVER)


async def clock(database: Database) -> datetime:
    now: datetime = await fetch_value(database, CLOCK)
    return now


async def table_options(database: Database) -> dict[str, str]:
    """The storage parameters of the table jobs."""
    found: list[str] = await fetch_value(database, TABLE_OPTIONS)
    return dict(option.split("=", 1) for option in found)


async def partitions_ahead(database: Database) -> int:
    """Weeks for which history has a partition, from this one on."""
    return int(await fetch_value(database, PARTITIONS_AHEAD))


async def workers(database: Database, patience: timedelta) -> WorkerCounts:
    return await read_one(database, WorkerCounts, WORKERS, patience)


async def neglected_queues(database: Database, limit: int) -> list[str]:
    """Queues with ready jobs and without a live worker."""
    return [row[0] for row in await fetch(database, NEGLECTED_QUEUES, limit)]


async def oldest_snapshot(database: Database, older_than: timedelta) -> Snapshot | None:
    return await read_first(database, Snapshot, OLDEST_SNAPSHOT, older_than)


async def sees_others(database: Database) -> bool:
    """Whether pg_stat_activity shows this user the activity of other users; else they seem idle."""
    return bool(await fetch_value(database, SEES_OTHERS))


async def long_transactions(database: Database, older_than: timedelta) -> list[Transaction]:
    """The oldest, of any user."""
    return await read_all(database, Transaction, LONG_TRANSACTIONS, older_than)


async def is_pooled(database: Database) -> bool:
    """Whether another process answers than the one that accepted the connection: there is a pooler."""
    async with database.connection() as connection:
        with translated():
            return bool(await connection.fetchval(BACKEND) != connection.get_server_pid())


async def overdue(database: Database, patience: timedelta) -> OverdueJobs:
    return await read_one(database, OverdueJobs, OVERDUE, patience)


async def stuck_maintenance(database: Database, patience: timedelta) -> dict[str, datetime]:
    """Maintenance tasks without a success for this long although workers are running, and since when."""
    return {row["name"]: row["succeeded_at"] for row in await fetch(database, STUCK_MAINTENANCE, patience)}


async def missing_from_schema(database: Database) -> list[str]:
    """Functions and views of this program that the database lacks."""
    there = {row[0] for row in await fetch(database, RELATIONS_AND_FUNCTIONS)}
    ours = {PurePath(file.name).stem for file in load_sql_files().functions}
    return sorted(ours - there)


async def invalid_indexes(database: Database) -> list[str]:
    """Left by an interrupted build; they slow down writes and are not used."""
    return [row[0] for row in await fetch(database, INVALID_INDEXES)]


async def notify_round_trip(database: Database, address: Address) -> bool:
    """Whether a notification of one session reaches another."""
    channel = f"holdfast_doctor_{uuid4().hex}"
    heard = asyncio.Event()
    listener = await connect(Address(address.listen_url, address.source), "holdfast doctor")
    try:
        with translated():
            await listener.add_listener(channel, lambda *_: heard.set())
        await database.execute("select pg_notify($1, '')", channel)
        async with asyncio.timeout(NOTIFY_WITHIN.total_seconds()):
            await heard.wait()
    except TimeoutError:
        return False
    finally:
        listener.terminate()
    return True


def terminate(pid: int) -> str:
    return f"select pg_terminate_backend({pid})"


def switch_on(settings: Sequence[str]) -> str:
    """In psql, a statement each: alter system cannot share a transaction."""
    return "; ".join([*(f"alter system set {name} = on" for name in settings), f"{RELOAD};"])


def set_table_options(options: str) -> str:
    return f"alter table holdfast.jobs set ({options})"


def reindex(index: str) -> str:
    return f"reindex index {index}"
