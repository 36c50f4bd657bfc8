"""The checks of `holdfast doctor`, one function each: facts from `db`, judged here, returned as findings."""

import shlex
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from holdfast.db import doctor_facts, locks, migrate
from holdfast.db.connect import Database
from holdfast.db.continuations import overdue_continuation
from holdfast.db.endpoints import uncounted_jobs
from holdfast.db.flags import rescue_off
from holdfast.db.logs import storage
from holdfast.db.queues import full_pause
from holdfast.db.schedules import list_schedules
from holdfast.db.schema_check import advice_for
from holdfast.maintenance.standard_tasks import standard_tasks
from holdfast.model.duration import short
from holdfast.model.error import DatabaseUnavailable, HoldfastError, PermissionDenied
from holdfast.model.human_readable import NAMED, counted, some, time_words
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.schedule import Schedule

OLDEST_POSTGRES = 14
SKEW_TO_MENTION = timedelta(seconds=2)
# The lease of a lost worker has ended; two sweeps of five seconds later its jobs should be back.
RESCUE_PATIENCE = timedelta(seconds=15)
# As long as a worker waits by default before it requests the successor of another again.
SUCCESSOR_PATIENCE = timedelta(seconds=30)
SNAPSHOT_PATIENCE = timedelta(minutes=5)
TRANSACTION_PATIENCE = timedelta(minutes=1)
# Every worker does its maintenance tasks each second or minute; a few missed rounds are no harm.
MAINTENANCE_PATIENCE = timedelta(minutes=2)
# Their last success is noted now and then only.
GAUGE_PATIENCE = timedelta(minutes=10)
# Two sweeps: no round takes that long.
HOLD_PATIENCE = timedelta(seconds=10)
LOGS_REMOVED_LATELY = timedelta(days=1)
CONNECTIONS_SPARE = 10
CONNECTIONS_OF_A_WORKER = 3
MOST_NAMED = 1000
AUTOVACUUM = {
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_threshold": "5000",
    "vacuum_truncate": "off",
}


class Level(StrEnum):
    """`wrong` is a problem at this moment, and the only one that changes the exit code. A `note` is a problem
    of the past, a possible one, or one that needs a person's judgement.
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


@dataclass(frozen=True, slots=True)
class Diagnosis:
    ok: bool
    findings: list[Finding]


Verdict = tuple[Level, str, str | None]
Check = Callable[[Database], Awaitable[Verdict]]


def ok(message: str) -> Verdict:
    return Level.OK, message, None


def note(message: str, fix: str) -> Verdict:
    return Level.NOTE, message, fix


def wrong(message: str, fix: str) -> Verdict:
    return Level.WRONG, message, fix


BLIND = note(
    "This user cannot see what other users do.",
    "grant pg_read_all_stats to the user, or run 'holdfast doctor' as a superuser",
)


async def examine(database: Database) -> Diagnosis:
    """Every check, in order."""
    findings = [await _look(database, name, check) for name, check in CHECKS.items()]
    return Diagnosis(all(one.level is not Level.WRONG for one in findings), findings)


async def _look(database: Database, name: str, check: Check) -> Finding:
    """A check that cannot be made is a finding too."""
    try:
        level, message, fix = await check(database)
    except PermissionDenied as exc:
        return Finding(name, Level.NOTE, f"This user may not make this check: {exc.message}", exc.hint)
    except DatabaseUnavailable:
        raise
    except HoldfastError as exc:
        return Finding(name, Level.WRONG, exc.message, exc.hint)
    return Finding(name, level, message, fix)


async def postgres(database: Database) -> Verdict:
    server = await doctor_facts.server(database)
    if server.version_number < OLDEST_POSTGRES * 10_000:
        return wrong(f"PostgreSQL {server.version} is too old.", f"upgrade to {OLDEST_POSTGRES} or newer")
    return ok(f"PostgreSQL {server.version}")


async def durability(database: Database) -> Verdict:
    server = await doctor_facts.server(database)
    if unsafe := server.unsafe:
        are = "is" if len(unsafe) == 1 else "are"
        return note(
            f"A crash of the server can lose jobs that it has accepted: {some(unsafe)} {are} off.",
            f"as a superuser in psql, run '{doctor_facts.switch_on(unsafe)}'; it needs no restart",
        )
    return ok("commits are on disk before they are reported")


async def schema(database: Database) -> Verdict:
    async with database.connection() as connection, advice_for(connection, database.address):
        missing = await migrate.pending(connection)
        state = await migrate.schema_version(connection)
    if missing:
        return wrong(
            f"The schema is not up to date; missing: {', '.join(missing)}.", "run 'holdfast migrate'"
        )
    return ok(f"migration {state.migration:04}, function set {state.function_set}")


async def clock(database: Database) -> Verdict:
    """For information: only the database's clock decides anything."""
    before = datetime.now(UTC)
    theirs = await doctor_facts.clock(database)
    ours = before + (datetime.now(UTC) - before) / 2
    skew = theirs - ours
    if abs(skew) > SKEW_TO_MENTION:
        side = "ahead of" if skew > timedelta(0) else "behind"
        text = f"The database's clock is {short(abs(skew))} {side} the clock of this machine."
        return note(
            text, "only the times in your own logs depend on this machine's clock; synchronise both with NTP"
        )
    return ok("this machine and the database agree")


async def notify(database: Database) -> Verdict:
    if await doctor_facts.notify_round_trip(database, database.address):
        return ok("a notification arrives")
    return wrong(
        "A notification did not arrive, so workers only poll.",
        "behind a pooler in transaction mode, set HOLDFAST_DIRECT_URL to the address of the server itself",
    )


async def partitions(database: Database) -> Verdict:
    ahead = await doctor_facts.partitions_ahead(database)
    if ahead < 2:
        judge, week = (note, "next week") if ahead else (wrong, "this week")
        return judge(
            f"The table history has no partition for {week}.",
            "start a worker, or run 'holdfast migrate'; if neither helps, look at the server's log",
        )
    return ok(f"history has partitions for {counted(ahead, 'week')}")


async def workers(database: Database) -> Verdict:
    counts = await doctor_facts.workers(database, RESCUE_PATIENCE)
    if counts.unrescued and (holder := await locks.idle_rescuer(database, RESCUE_PATIENCE)):
        where = f"an open transaction of {holder}{_since(holder.since)}"
        return wrong(
            f"{_lost(counts.unrescued)}, and {where} blocks the rescue of {_their(counts.unrescued)} jobs.",
            f"end that transaction, or {doctor_facts.terminate(holder.pid)}",
        )
    if counts.unrescued:
        return wrong(
            f"{_lost(counts.unrescued)}, and no other worker has rescued {_their(counts.unrescued)} jobs.",
            "start a worker; every worker rescues the jobs of lost workers",
        )
    if counts.kept:
        return wrong(
            f"{_lost(counts.kept)}, and the flag rescue is off, so {_their(counts.kept)} jobs wait.",
            "see the check rescue; without the flag, any worker takes these jobs over",
        )
    if counts.overdue and not counts.live:
        return wrong(
            f"{_lost(counts.overdue)}, and no live worker is left.",
            "start a worker; the logs of the lost workers may show why they ended",
        )
    return ok(f"{counts.live} live, {counts.lost} lost and without jobs")


async def rescue(database: Database) -> Verdict:
    off = await rescue_off(database, MOST_NAMED + 1)
    if not off:
        return ok("jobs of lost workers are taken over")
    first, named = off[0], [one.queue for one in off[:MOST_NAMED] if one.queue is not None]
    noun = "queue" if len(off) == 1 else "queues"
    where = f"the {noun} {some(named, len(off) > MOST_NAMED)}" if first.queue is not None else "all queues"
    why = f": {first.reason}" if first.reason else ""
    scope = [] if first.queue is None else ["--queue", first.queue]
    return note(
        f"The flag rescue is off for {where}{_since(first.set_at)}{why}. Jobs of lost workers stay there.",
        shlex.join(["holdfast", "flags", "unset", "rescue", *scope]),
    )


async def successors(database: Database) -> Verdict:
    late = await overdue_continuation(database, SUCCESSOR_PATIENCE)
    if late is None:
        return ok("every worker that needed a successor got one")
    many = counted(late.of, "successor")
    what = f"run {late.run}" if late.run else f"queues {some(late.queues)}"
    tries = f"{late.sent} times" if late.sent > 1 else "once" if late.sent else "never"
    why = f"; the callback failed: {late.error}" if late.error else ""
    oldest = f"the oldest for {what} was due at {time_words(late.due_at)}, requested {tries}{why}"
    return wrong(
        f"{many} of workers with a time box never started: {oldest}.",
        "check that the platform can start workers, then run 'holdfast workers continue --post URL'",
    )


async def queues(database: Database) -> Verdict:
    if whole := await full_pause(database):
        why = f": {whole.reason}" if whole.reason else ""
        return note(
            f"All queues have been paused since {time_words(whole.paused_at)}{why}.",
            "holdfast queues resume --all",
        )
    found = await doctor_facts.neglected_queues(database, MOST_NAMED + 1)
    neglected = found[:MOST_NAMED]
    if neglected:
        named = [name for name in neglected if name != INTERNAL_QUEUE][:NAMED]
        worker = ["holdfast", "worker", "-A", "your.module:app", "--queues", ",".join(named)]
        put = " Put your app for your.module:app." if named else ""
        lacking = some(neglected, len(found) > MOST_NAMED)
        return note(
            f"No worker serves these queues with ready jobs: {lacking}.{put}",
            shlex.join(worker) if named else "holdfast serve",
        )
    return ok("every queue with ready jobs has a worker or is paused")


async def autovacuum(database: Database) -> Verdict:
    server = await doctor_facts.server(database)
    if not server.vacuums:
        return wrong("Autovacuum is off, so claims will slow down.", "set autovacuum = on")
    options = await doctor_facts.table_options(database)
    off = options.get("autovacuum_enabled", "true") in ("false", "off")
    missing = [f"{name} = {value}" for name, value in AUTOVACUUM.items() if options.get(name) != value]
    if missing or off:
        wanted = ", ".join([*missing, "autovacuum_enabled = on"] if off else missing)
        return wrong(
            "The table jobs lacks the autovacuum settings that a queue needs.",
            doctor_facts.set_table_options(wanted),
        )
    return ok("the table jobs is vacuumed by threshold")


async def snapshots(database: Database) -> Verdict:
    if not await doctor_facts.sees_others(database):
        return BLIND
    oldest = await doctor_facts.oldest_snapshot(database, SNAPSHOT_PATIENCE)
    if oldest is not None:
        holder = f"process {oldest.pid} ({oldest.application or 'unnamed'})"
        return wrong(
            f"A transaction of {holder}, open for {short(oldest.age)}, holds back vacuum; claims slow down.",
            f"end that transaction, or {doctor_facts.terminate(oldest.pid)}",
        )
    return ok("no old transaction holds back vacuum")


async def connections(database: Database) -> Verdict:
    if not await doctor_facts.sees_others(database):
        return BLIND
    server = await doctor_facts.server(database)
    spare = server.connections - server.connections_used
    if spare < CONNECTIONS_SPARE:
        judge = wrong if spare < CONNECTIONS_OF_A_WORKER else note
        return judge(
            f"Only {spare} of {server.connections} connections are free; a worker takes up to 3.",
            "raise max_connections, use a pooler, or start fewer workers",
        )
    return ok(f"{server.connections_used} of {server.connections} in use")


async def drift(database: Database) -> Verdict:
    """Functions, views and indexes that a person or a broken build has removed or left invalid."""
    missing = await doctor_facts.missing_from_schema(database)
    if missing:
        return wrong(
            f"Missing from the schema: {some(missing)}.",
            f"run '{doctor_facts.FORGET_FUNCTIONS}', then 'holdfast migrate', which installs all functions "
            "again",
        )
    if invalid := await doctor_facts.invalid_indexes(database):
        return wrong(f"Invalid indexes: {some(invalid)}.", doctor_facts.reindex(invalid[0]))
    return ok("all functions, views and indexes exist")


async def pooler(database: Database) -> Verdict:
    if not await doctor_facts.is_pooled(database):
        return ok("connections go straight to the server")
    if database.address.direct_url is None:
        return note(
            "A pooler is in front of the server; in transaction mode NOTIFY would not wake workers.",
            "set HOLDFAST_DIRECT_URL to the address of the server itself; see also the check notify",
        )
    return ok("a pooler is in front of the server; notifications bypass it")


async def maintenance_tasks(database: Database) -> Verdict:
    late = await doctor_facts.overdue(database, MAINTENANCE_PATIENCE)
    if late.scheduled or late.expired:
        jobs = f"{counted(late.scheduled, 'job')} overdue, {counted(late.expired, 'job')} past the deadline"
        return wrong(
            f"Maintenance does not run: {jobs}.",
            "start a worker; if one is running, look in its log for a maintenance task that fails",
        )
    if held := await locks.held_locks(database, HOLD_PATIENCE):
        who = ", ".join(f"{name} by {holder}{_since(holder.since)}" for name, holder in held.items())
        pid = next(iter(held.values())).pid
        return wrong(
            f"An open transaction blocks maintenance: {who}.",
            f"end that transaction, or {doctor_facts.terminate(pid)}",
        )
    # Others are done only by workers of a certain kind, or were done by an older version.
    ours = {task.name for task in standard_tasks(MAINTENANCE_PATIENCE)}
    stuck = await doctor_facts.stuck_maintenance(database, GAUGE_PATIENCE)
    if late_since := {name: at for name, at in stuck.items() if name in ours}:
        since = ", ".join(f"{name} (since {time_words(at)})" for name, at in late_since.items())
        return wrong(
            f"Maintenance tasks that do not succeed: {since}.", "the log of a worker shows why they fail"
        )
    return ok("due jobs become ready, and jobs past their deadline end")


async def schedules(database: Database) -> Verdict:
    found = await list_schedules(database, MOST_NAMED)
    late = await doctor_facts.clock(database) - MAINTENANCE_PATIENCE
    troubles = list(_schedule_troubles(found, late))
    if not troubles:
        return ok("every schedule has its next time" if found else "there are none")
    levels, messages, fixes = zip(*troubles, strict=True)
    return levels[0], " ".join(messages), "; ".join(fixes)


def _schedule_troubles(found: list[Schedule], late: datetime) -> Iterator[Verdict]:
    """The worst one first."""
    if wrong_ones := [one for one in found if one.state in ("invalid", "failing")]:
        first = wrong_ones[0]
        yield wrong(
            f"{counted(len(wrong_ones), 'schedule')} cannot run: {some([one.name for one in wrong_ones])}."
            f" {first.name} is {first.state}: {first.problem}",
            f"correct it with {shlex.join(['holdfast', 'schedules', 'set', first.name])} KEY=VALUE",
        )
    if idle := [one.name for one in found if one.state in ("new", "active") and _due(one) < late]:
        yield wrong(f"No worker fires these schedules: {some(idle)}.", "start a worker; any one will do")
    if left := [one for one in found if one.undeclared_at is not None]:
        yield note(
            f"Their app no longer declares these schedules: {some([one.name for one in left])}.",
            f"{shlex.join(['holdfast', 'schedules', 'remove', left[0].name])}, or declare it again",
        )


def _due(schedule: Schedule) -> datetime:
    return schedule.next_slot or schedule.counts_from


async def endpoints(database: Database) -> Verdict:
    """Only calls of other jobs can show whether the jobs or the endpoint are at fault."""
    found = await uncounted_jobs(database)
    if not found:
        return ok("no job waits because of a failed call to its endpoint")
    first, many = found[0], f"{counted(found[0].of, 'job')} {'wait' if found[0].of > 1 else 'waits'}"
    who = ", ".join(f"{one.id} ({one.endpoint}, {one.tries} tries)" for one in found)
    return note(
        f"{many} because a call to an endpoint failed, and this costs no retry: {who}.",
        f"run 'holdfast endpoints show {first.endpoint}'; if the endpoint is healthy, run 'holdfast explain "
        f"{first.id}'",
    )


async def transactions(database: Database) -> Verdict:
    if not await doctor_facts.sees_others(database):
        return BLIND
    found = await doctor_facts.long_transactions(database, TRANSACTION_PATIENCE)
    if not found:
        return ok("no transaction is open for long")
    who = ", ".join(
        f"{one.pid} ({one.application or 'unnamed'}, {one.state}, {short(one.age)})" for one in found
    )
    return note(
        f"Transactions open for more than a minute: {who}.",
        f"other sessions may wait for their locks; '{doctor_facts.terminate(found[0].pid)}' ends the oldest "
        "transaction",
    )


async def handler_logs(database: Database) -> Verdict:
    kept = await storage(database)
    room = f"{kept.bytes / 2**20:.1f} of {kept.max_bytes / 2**20:.1f} MiB"
    if kept.removed_at is None or datetime.now(UTC) - kept.removed_at > LOGS_REMOVED_LATELY:
        return ok(f"logs of handlers take {room}")
    upto = "" if kept.removed_to is None else f" Those stored up to {time_words(kept.removed_to)} are gone."
    return note(
        f"The logs of handlers reached their limit, so the oldest were removed ({room}).{upto}",
        "raise the limit with 'holdfast jobs limit-logs 2GiB --reason …', or keep the logs of failures only "
        "with 'holdfast queues set NAME logs=errors'",
    )


def _lost(workers: int) -> str:
    return f"{counted(workers, 'worker')} {'is' if workers == 1 else 'are'} lost"


def _their(workers: int) -> str:
    return "its" if workers == 1 else "their"


def _since(at: datetime | None) -> str:
    return "" if at is None else f" since {time_words(at)}"


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
    "rescue": rescue,
    "successors": successors,
    "queues": queues,
    "maintenance": maintenance_tasks,
    "schedules": schedules,
    "endpoints": endpoints,
    "logs": handler_logs,
    "autovacuum": autovacuum,
    "snapshots": snapshots,
    "transactions": transactions,
    "connections": connections,
}
