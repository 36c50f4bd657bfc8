"""What `holdfast doctor` looks at, one function per check."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from holdfast.cli.output import command
from holdfast.cli.render import NAMED, some
from holdfast.cli.render import clock as moment
from holdfast.db import health, locks, migrate
from holdfast.db.connect import Database
from holdfast.db.continuations import overdue_continuation
from holdfast.db.endpoints import uncounted_jobs
from holdfast.db.queues import full_pause
from holdfast.maintenance.chores import standard_chores
from holdfast.model.duration import short

OLDEST_POSTGRES = 14
SKEW_TO_MENTION = timedelta(seconds=2)
# The lease of a lost worker has ended; two sweeps of five seconds later its jobs should be back.
RESCUE_PATIENCE = timedelta(seconds=15)
# As long as a worker waits by default before it requests the successor of another again.
SUCCESSOR_PATIENCE = timedelta(seconds=30)
SNAPSHOT_PATIENCE = timedelta(minutes=5)
TRANSACTION_PATIENCE = timedelta(minutes=1)
# Every worker does its chores each second or minute; a few missed rounds are no harm.
CHORE_PATIENCE = timedelta(minutes=2)
# Their last success is noted now and then only.
GAUGE_PATIENCE = timedelta(minutes=10)
# Two sweeps: no round takes that long.
HOLD_PATIENCE = timedelta(seconds=10)
CONNECTIONS_SPARE = 10
CONNECTIONS_OF_A_WORKER = 3
MOST_NAMED = 1000
AUTOVACUUM = {
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_threshold": "5000",
    "vacuum_truncate": "off",
}


class Level(StrEnum):
    """`wrong` is a problem at this moment, and the only one that the exit code tells of. What was, may come,
    or is for somebody to judge is a `note`.
    """

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    check: str
    level: Level
    message: str
    fix: str | None


Verdict = tuple[Level, str, str | None]
BLIND: Verdict = (
    Level.NOTE,
    "This user cannot see what other users do.",
    "grant pg_read_all_stats to the user, or ask the doctor as the owner",
)
Check = Callable[[Database], Awaitable[Verdict]]


async def postgres(database: Database) -> Verdict:
    server = await health.server(database)
    if server.version_number < OLDEST_POSTGRES * 10_000:
        return (
            Level.WRONG,
            f"PostgreSQL {server.version} is too old.",
            f"upgrade to {OLDEST_POSTGRES} or newer",
        )
    return Level.OK, f"PostgreSQL {server.version}", None


async def durability(database: Database) -> Verdict:
    server = await health.server(database)
    if not server.is_durable:
        return (
            Level.NOTE,
            "A crash of the server can lose jobs that it has accepted.",
            "set fsync, full_page_writes and synchronous_commit to on",
        )
    return Level.OK, "commits are on disk before they are reported", None


async def schema(database: Database) -> Verdict:
    async with database.connection() as connection:
        missing = await migrate.pending(connection)
        state = await migrate.schema_version(connection)
    if missing:
        return Level.WRONG, f"Not up to date: {', '.join(missing)}.", "run holdfast migrate"
    return Level.OK, f"migration {state.migration:04}, function set {state.function_set}", None


async def clock(database: Database) -> Verdict:
    """For information: only the database's clock decides anything."""
    before = datetime.now(UTC)
    theirs = await health.clock(database)
    ours = before + (datetime.now(UTC) - before) / 2
    skew = theirs - ours
    if abs(skew) > SKEW_TO_MENTION:
        side = "ahead of" if skew > timedelta(0) else "behind"
        text = f"The database's clock is {short(abs(skew))} {side} this one."
        return Level.NOTE, text, "nothing depends on it but times in your own logs; set both by NTP"
    return Level.OK, "this machine and the database agree", None


async def notify(database: Database) -> Verdict:
    if await health.notify_round_trip(database, database.address):
        return Level.OK, "a notification arrives", None
    return (
        Level.WRONG,
        "A notification did not arrive, so workers only poll.",
        "behind a pooler in transaction mode set HOLDFAST_DIRECT_URL to the server itself",
    )


async def partitions(database: Database) -> Verdict:
    ahead = await health.partitions_ahead(database)
    if ahead < 2:
        level, week = (Level.NOTE, "next week") if ahead else (Level.WRONG, "this week")
        return (
            level,
            f"History has no partition for {week}.",
            "start a worker, or run holdfast migrate; if that does not help, see the server's log",
        )
    return Level.OK, f"history has partitions for {ahead} weeks", None


async def workers(database: Database) -> Verdict:
    counts = await health.workers(database, RESCUE_PATIENCE)
    if counts.unrescued and (holder := await locks.idle_rescuer(database, RESCUE_PATIENCE)):
        where = f"an open transaction of {holder}{_since(holder.since)}"
        return (
            Level.WRONG,
            f"{counts.unrescued} workers are lost, and their rescue stands in {where}.",
            f"end that transaction, or select pg_terminate_backend({holder.pid})",
        )
    if counts.unrescued:
        return (
            Level.WRONG,
            f"{counts.unrescued} workers are lost and nobody took over their jobs.",
            "start a worker: every worker rescues the jobs of lost ones",
        )
    if counts.overdue and not counts.live:
        return (
            Level.WRONG,
            f"{counts.overdue} workers are lost, and none is left.",
            "start a worker; the log of the lost ones may tell why they vanished",
        )
    return Level.OK, f"{counts.live} live, {counts.lost} lost and without jobs", None


async def successors(database: Database) -> Verdict:
    late = await overdue_continuation(database, SUCCESSOR_PATIENCE)
    if late is None:
        return Level.OK, "every worker with a time box that has work left got its successor", None
    many = f"{late.of} successors" if late.of > 1 else "1 successor"
    what = f"run {late.run}" if late.run else f"queues {some(late.queues)}"
    tries = f"{late.sent} times" if late.sent > 1 else "once" if late.sent else "never"
    why = f"; the callback failed: {late.error}" if late.error else ""
    oldest = f"the oldest for {what} was due at {moment(late.due_at)}, requested {tries}{why}"
    return (
        Level.WRONG,
        f"{many} of workers with a time box never came: {oldest}.",
        "see that what starts workers is up, then run holdfast workers continue --post URL (or --command)",
    )


async def queues(database: Database) -> Verdict:
    if whole := await full_pause(database):
        why = f": {whole.reason}" if whole.reason else ""
        return (
            Level.NOTE,
            f"All queues are paused since {moment(whole.paused_at)}{why}.",
            command("queues", "resume", "--all"),
        )
    found = await health.neglected_queues(database, MOST_NAMED + 1)
    neglected = found[:MOST_NAMED]
    if neglected:
        return (
            Level.NOTE,
            f"No worker looks at queues with ready jobs: {some(neglected, len(found) > MOST_NAMED)}.",
            command("worker", "-A", "your.module:app", "--queues", ",".join(neglected[:NAMED])),
        )
    return Level.OK, "every queue with ready jobs has a worker or is paused", None


async def autovacuum(database: Database) -> Verdict:
    server = await health.server(database)
    if not server.vacuums:
        return Level.WRONG, "Autovacuum is off, so claims will slow down.", "set autovacuum = on"
    options = await health.table_options(database)
    off = options.get("autovacuum_enabled", "true") in ("false", "off")
    wrong = [f"{name} = {value}" for name, value in AUTOVACUUM.items() if options.get(name) != value]
    if wrong or off:
        wanted = ", ".join([*wrong, "autovacuum_enabled = on"] if off else wrong)
        return (
            Level.WRONG,
            "The table jobs is not vacuumed as a queue needs it.",
            f"alter table holdfast.jobs set ({wanted})",
        )
    return Level.OK, "the table jobs is vacuumed by threshold", None


async def snapshots(database: Database) -> Verdict:
    if not await health.sees_others(database):
        return BLIND
    oldest = await health.oldest_snapshot(database, SNAPSHOT_PATIENCE)
    if oldest is not None:
        holder = f"process {oldest.pid} ({oldest.application or 'unnamed'})"
        return (
            Level.WRONG,
            f"Vacuum waits for a transaction of {holder}, open for {short(oldest.age)}; claims slow down.",
            f"end that transaction, or select pg_terminate_backend({oldest.pid})",
        )
    return Level.OK, "no old transaction holds back vacuum", None


async def connections(database: Database) -> Verdict:
    if not await health.sees_others(database):
        return BLIND
    server = await health.server(database)
    spare = server.connections - server.connections_used
    if spare < CONNECTIONS_SPARE:
        return (
            Level.WRONG if spare < CONNECTIONS_OF_A_WORKER else Level.NOTE,
            f"Only {spare} of {server.connections} connections are free; a worker takes up to 3.",
            "raise max_connections, use a pooler, or start fewer workers",
        )
    return Level.OK, f"{server.connections_used} of {server.connections} in use", None


async def drift(database: Database) -> Verdict:
    """What somebody changed by hand, as far as it can be seen."""
    missing = await health.missing_from_schema(database)
    if missing:
        return (
            Level.WRONG,
            f"Missing from the schema: {some(missing)}.",
            "delete from holdfast.function_set, then run holdfast migrate: it installs all functions anew",
        )
    if invalid := await health.invalid_indexes(database):
        return Level.WRONG, f"Invalid indexes: {some(invalid)}.", f"reindex index {invalid[0]}"
    return Level.OK, "functions, views and indexes are all there", None


async def pooler(database: Database) -> Verdict:
    if not await health.is_pooled(database):
        return Level.OK, "connections go straight to the server", None
    if database.address.direct_url is None:
        return (
            Level.NOTE,
            "A pooler stands before the server; in transaction mode workers would not be woken.",
            "set HOLDFAST_DIRECT_URL to the server itself; see also the check notify",
        )
    return Level.OK, "a pooler stands before the server; notifications go past it", None


async def chores(database: Database) -> Verdict:
    late = await health.overdue(database, CHORE_PATIENCE)
    if late.scheduled or late.expired:
        return (
            Level.WRONG,
            f"Nobody does the chores: {late.scheduled} jobs are overdue, {late.expired} past their deadline.",
            "start a worker; if there is one, look into its log for a chore that fails",
        )
    if held := await locks.held_locks(database, HOLD_PATIENCE):
        who = ", ".join(f"{name} by {holder}{_since(holder.since)}" for name, holder in held.items())
        pid = next(iter(held.values())).pid
        return (
            Level.WRONG,
            f"Not done, because an open transaction is at it: {who}.",
            f"end that transaction, or select pg_terminate_backend({pid})",
        )
    # Others are done only by workers of a certain kind, or were done by an older version.
    ours = {chore.name for chore in standard_chores(CHORE_PATIENCE)}
    stuck = await health.stuck_chores(database, GAUGE_PATIENCE)
    if late_since := {name: at for name, at in stuck.items() if name in ours}:
        since = ", ".join(f"{name} (since {moment(at)})" for name, at in late_since.items())
        return (
            Level.WRONG,
            f"Chores that do not succeed: {since}.",
            "look into a worker's log for why they fail",
        )
    return Level.OK, "due jobs are readied and late ones buried", None


async def endpoints(database: Database) -> Verdict:
    """Whether the jobs or the endpoint are at fault, only calls of other jobs can tell."""
    found = await uncounted_jobs(database)
    if not found:
        return Level.OK, "no job waits because its endpoint failed it", None
    first, many = found[0], f"{found[0].of} jobs wait" if found[0].of > 1 else "1 job waits"
    who = ", ".join(f"{one.id} ({one.endpoint}, {one.tries} tries)" for one in found)
    return (
        Level.NOTE,
        f"{many} because an endpoint failed the last try, which did not count: {who}.",
        f"holdfast endpoints show {first.endpoint}; if it is well, holdfast explain {first.id}",
    )


async def transactions(database: Database) -> Verdict:
    if not await health.sees_others(database):
        return BLIND
    found = await health.long_transactions(database, TRANSACTION_PATIENCE)
    if not found:
        return Level.OK, "none is open for long", None
    who = ", ".join(
        f"{one.pid} ({one.application or 'unnamed'}, {one.state}, {short(one.age)})" for one in found
    )
    return (
        Level.NOTE,
        f"Open for more than a minute: {who}.",
        f"others may wait for their locks; select pg_terminate_backend({found[0].pid}) ends the oldest",
    )


def _since(at: datetime | None) -> str:
    return "" if at is None else f" since {moment(at)}"


CHECKS: dict[str, Check] = {
    "postgres": postgres,
    "durability": durability,
    "schema": schema,
    "drift": drift,
    "clock": clock,
    "pooler": pooler,
    "notify": notify,
    "partitions": partitions,
    "workers": workers,
    "successors": successors,
    "queues": queues,
    "chores": chores,
    "endpoints": endpoints,
    "autovacuum": autovacuum,
    "snapshots": snapshots,
    "transactions": transactions,
    "connections": connections,
}
