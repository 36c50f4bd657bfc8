"""`holdfast doctor` finds what is wrong and says how to mend it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from holdfast.client import doctor_checks as checks
from holdfast.db import doctor_facts, locks
from holdfast.db.connect import Connection, Database
from tests.builders import Running, a_worker, fail, ready_job, rescue, running_job, scheduled_job
from tests.cli.command import holdfast
from tests.cli.scene import given
from tests.database import fresh_database
from tests.sql.continuations import an_asked_continuation
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed

WEEKS_FROM_THE_NEXT = """
select relname from pg_class
where relnamespace = 'holdfast'::regnamespace
  and relname ~ '^history_[0-9]{4}w[0-9]{2}$'
  and relname > 'history_' || to_char(clock_timestamp() at time zone 'UTC', 'IYYY"w"IW')
"""


def findings(url: str) -> dict[str, Any]:
    return {one["check"]: one for one in holdfast("doctor", "--json", url=url).document["findings"]}


def test_a_healthy_database_has_nothing_wrong(database_url: str) -> None:
    found = findings(database_url)
    assert {name: found[name]["level"] for name in ("drift", "pooler", "maintenance", "transactions")} == (
        dict.fromkeys(("drift", "pooler", "maintenance", "transactions"), "ok")
    )


def test_what_a_user_cannot_see_is_not_called_well(database_url: str) -> None:
    found = findings(f"{database_url}&role=holdfast_viewer")
    for name in ("snapshots", "transactions", "connections"):
        assert (found[name]["level"], "cannot see" in found[name]["message"]) == ("note", True)


def test_a_function_that_somebody_dropped_is_missed_and_the_fix_helps(database_url: str) -> None:
    given(database_url, lambda conn: conn.execute("drop function holdfast.timeline"))
    found = findings(database_url)["drift"]
    assert (found["level"], found["message"]) == ("wrong", "Missing from the schema: timeline.")
    assert found["fix"].startswith("run 'delete from holdfast.function_set', then 'holdfast migrate'")
    given(database_url, lambda conn: conn.execute("delete from holdfast.function_set"))
    assert holdfast("migrate", url=database_url).code == 0
    assert findings(database_url)["drift"]["level"] == "ok"


def test_a_successor_that_never_came_is_named_while_there_is_work_for_it(database_url: str) -> None:
    async def make(conn: Connection) -> UUID:
        await ready_job(conn)
        asked = await an_asked_continuation(conn, delay=3600)
        await conn.execute("select holdfast.fail_continuation($1, 'connection refused')", asked)
        return asked

    async def let_time_pass(conn: Connection) -> None:
        await conn.execute("update holdfast.continuations set due_at = due_at - interval '2 hours'")

    given(database_url, make)
    assert findings(database_url)["successors"]["level"] == "ok"
    given(database_url, let_time_pass)
    found = findings(f"{database_url}&role=holdfast_viewer")["successors"]
    assert found["level"] == "wrong"
    assert found["message"].startswith(
        "1 successor of workers with a time box never started: the oldest for queues"
    )
    assert found["message"].endswith("requested once; the callback failed: connection refused.")
    assert "holdfast workers continue --post URL" in found["fix"]
    given(
        database_url,
        lambda conn: conn.execute(
            "update holdfast.jobs set state = 'scheduled', rank_at = null, due_at = now() + interval '1 day'"
        ),
    )
    assert findings(database_url)["successors"]["level"] == "ok"


def test_an_overdue_job_shows_that_no_worker_does_maintenance(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        job = await scheduled_job(conn)
        await conn.execute("update holdfast.jobs set due_at = now() - interval '1 hour' where id = $1", job)

    given(database_url, make)
    found = findings(database_url)["maintenance"]
    assert (found["level"], "1 job overdue" in found["message"]) == ("wrong", True)


def test_a_maintenance_task_that_has_not_succeeded_for_long_is_named(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute("select holdfast.record_maintenance(array['prune', 'rescue'])")
        await conn.execute(
            "update holdfast.chores set succeeded_at = now() - interval '1 hour' where name = 'prune'"
        )

    given(database_url, make)
    assert findings(database_url)["maintenance"]["level"] == "ok", "without a worker nobody is to blame"

    async def start(conn: Connection) -> None:
        worker = await a_worker(conn)
        await conn.execute(
            "update holdfast.workers set started_at = now() - interval '1 hour' where id = $1", worker
        )

    given(database_url, start)
    found = findings(database_url)["maintenance"]
    assert (found["level"], "prune (since" in found["message"]) == ("wrong", True)
    assert "rescue" not in found["message"]


def test_a_worker_that_died_idle_or_was_rescued_is_no_problem_while_others_live(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute("select holdfast.make_partitions()")
        await expired(conn, await a_worker(conn))
        job = await running_job(conn)
        await expired(conn, job.worker)
        assert (await rescue(conn))["recovered"] == 1
        await a_worker(conn)

    given(database_url, make)
    result = holdfast("doctor", "--json", url=database_url)
    found = {one["check"]: one for one in result.document["findings"]}["workers"]
    assert (found["level"], found["message"]) == ("ok", "1 live, 2 lost and without jobs")
    assert result.code == 0, result.out


def test_a_lost_worker_that_still_holds_a_job_is_a_problem(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await expired(conn, (await running_job(conn)).worker)
        await a_worker(conn)

    given(database_url, make)
    found = findings(database_url)["workers"]
    assert (found["level"], found["message"]) == (
        "wrong",
        "1 worker is lost, and no other worker has rescued its jobs.",
    )


def test_that_the_last_worker_vanished_is_a_problem_until_another_starts(database_url: str) -> None:
    async def lose(conn: Connection) -> None:
        await expired(conn, await a_worker(conn))

    given(database_url, lose)
    assert findings(database_url)["workers"]["message"] == "1 worker is lost, and no live worker is left."
    given(database_url, a_worker)
    assert findings(database_url)["workers"]["level"] == "ok"


def test_what_will_be_missing_next_week_is_a_note(database_url: str) -> None:
    async def keep_one(conn: Connection) -> None:
        await conn.execute("select holdfast.make_partitions()")
        for row in await conn.fetch(WEEKS_FROM_THE_NEXT):
            await conn.execute(f"drop table holdfast.{row['relname']}")

    given(database_url, keep_one)
    result = holdfast("doctor", "--json", url=database_url)
    found = {one["check"]: one for one in result.document["findings"]}["partitions"]
    assert (found["level"], found["message"]) == ("note", "The table history has no partition for next week.")
    assert result.code == 0, result.out


def test_a_maintenance_task_that_only_some_workers_do_is_not_missed(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute(
            "select holdfast.record_maintenance(array['continuations', 'of_an_older_version'])"
        )
        await conn.execute("update holdfast.chores set succeeded_at = now() - interval '1 hour'")
        await a_worker(conn)
        await conn.execute("update holdfast.workers set started_at = now() - interval '1 hour'")

    given(database_url, make)
    assert findings(database_url)["maintenance"]["level"] == "ok"


async def expired(conn: Connection, worker: UUID) -> None:
    """Its lease ended half an hour ago."""
    await conn.execute(
        "update holdfast.workers set lease_until = holdfast.now() - interval '30 minutes' where id = $1",
        worker,
    )


async def test_an_old_transaction_is_named_by_its_process(database_url: str) -> None:
    other = await asyncpg.connect(database_url, server_settings={"application_name": "report"})
    async with Database(database_url) as database:
        await other.execute("begin; select 1")
        pid = other.get_server_pid()
        found = await doctor_facts.long_transactions(database, timedelta(0))
        assert [(one.pid, one.application, one.state) for one in found] == [
            (pid, "report", "idle in transaction")
        ]
        assert await doctor_facts.long_transactions(database, timedelta(hours=1)) == []
    await other.close()


def test_jobs_whose_endpoint_fails_them_at_no_cost_are_named(database_url: str) -> None:
    async def make(conn: Connection) -> list[Running]:
        await a_fixed_endpoint(conn)
        await calls(conn, 6)
        running = await claimed(conn, await a_caller(conn))
        for job in running:
            await fail(conn, job)
        await conn.execute("update holdfast.jobs set deferrals = 40 where id = $1", running[3].id)
        return running

    assert findings(database_url)["endpoints"]["level"] == "ok"
    running = given(database_url, make)
    for url in (database_url, f"{database_url}&role=holdfast_viewer"):
        found = findings(url)["endpoints"]
        assert found["level"] == "note"
        assert found["message"].startswith(
            "5 jobs wait because a call to an endpoint failed, and this costs no retry:"
            f" {running[3].id} (model, 40 tries), "
        )
        assert str(running[0].id) not in found["message"], "the first of the streak was counted"


async def test_an_open_rescue_is_found_in_its_own_database_alone(
    db: Database, database_url: str, server_url: str, template: str
) -> None:
    """Databases that were cloned from one template number their tables alike."""
    async with (
        fresh_database(server_url, template) as other_url,
        Database(other_url) as other,
        db.connection() as conn,
        conn.transaction(),
    ):
        await conn.execute("update holdfast.workers set renewed_at = renewed_at where false")
        holder = await locks.idle_rescuer(db, timedelta(0))
        assert holder is not None
        assert holder.pid == conn.get_server_pid()
        assert await locks.idle_rescuer(other, timedelta(0)) is None


async def test_who_keeps_a_maintenance_task_from_being_done_is_named(database_url: str) -> None:
    other = await asyncpg.connect(database_url, server_settings={"application_name": "by hand"})
    async with Database(database_url) as database:
        await other.execute("begin; select holdfast.prune_jobs()")
        pid = other.get_server_pid()
        held = await locks.held_locks(database, timedelta(0))
        assert {name: (one.pid, one.application) for name, one in held.items()} == {"prune": (pid, "by hand")}
        assert held["prune"].since is not None
        assert await locks.held_locks(database, timedelta(hours=1)) == {}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(checks, "HOLD_PATIENCE", timedelta(0))
            level, message, fix = await checks.maintenance_tasks(database)
    assert level is checks.Level.WRONG
    assert message.startswith(
        f"An open transaction blocks maintenance: prune by process {pid} (by hand) since "
    )
    assert fix == f"end that transaction, or select pg_terminate_backend({pid})"
    await other.close()


async def test_a_rescue_that_nobody_commits_is_named(database_url: str) -> None:
    other = await asyncpg.connect(database_url, server_settings={"application_name": "by hand"})
    job = await running_job(other)
    await other.execute(
        "update holdfast.workers set lease_until = now() - interval '1 hour' where id = $1", job.worker
    )
    async with Database(database_url) as database:
        await other.execute("begin; select holdfast.rescue_jobs()")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(checks, "RESCUE_PATIENCE", timedelta(0))
            level, message, fix = await checks.workers(database)
            await other.execute("rollback")
            _, without, _ = await checks.workers(database)
    pid = other.get_server_pid()
    assert level is checks.Level.WRONG
    assert f"and an open transaction of process {pid} (by hand) since " in message
    assert fix == f"end that transaction, or select pg_terminate_backend({pid})"
    assert without == "1 worker is lost, and no other worker has rescued its jobs."
    await other.close()
