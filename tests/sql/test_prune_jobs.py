"""Ended jobs are forgotten past their queue's retention, with all that is kept beside them."""

from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    cancelled_job,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    ready_job,
    replay,
    report,
    running_job,
    settle,
    state_of,
)
from tests.sql.access_keys import a_key, a_link, a_session, digest
from tests.sql.conftest import Clock
from tests.sql.logs import save

BESIDE = [
    *("payloads", "attempts", "calls", "checkpoints", "progress", "stage_outputs", "dead_letters"),
    "attempt_logs",
]


async def prune(conn: Connection, most: int = 1000) -> Record:
    row = await conn.fetchrow("select * from holdfast.prune_jobs($1)", most)
    assert row is not None
    return row


async def test_a_job_is_forgotten_after_its_queues_retention(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, "short", retention="1 day")
    short, long = await cancelled_job(conn, queue="short"), await cancelled_job(conn)
    await clock.advance(timedelta(days=2))
    assert (await prune(conn))["jobs"] == 1
    assert [await state_of(conn, job) for job in (short, long)] == [None, "cancelled"]
    await clock.advance(timedelta(days=29))
    assert (await prune(conn))["jobs"] == 1
    assert await state_of(conn, long) is None


async def test_nothing_is_left_beside_a_forgotten_job(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn, payload="x" * 5000, retry=[0, 0, 0])
    await report(conn, job, done=1)
    await save(conn, job, "a line")
    await settle(conn, job, "advance", {"stage": "two"})
    job = await claim_one(conn, job.worker)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'a', '1')", job.id, job.token)
    call = '{"kind": "tool", "name": "look_up"}'
    await conn.execute("select holdfast.save_call($1, $2, $3)", job.id, job.token, call)
    await fail(conn, job, "permanent")
    await conn.execute("update holdfast.dead_letters set status = 'resolved'")
    for table in BESIDE:
        assert await conn.fetchval(f"select count(*) from holdfast.{table}") == 1, table
    await clock.advance(timedelta(days=31))
    assert (await prune(conn))["jobs"] == 1
    for table in [*BESIDE, "jobs", "history"]:
        assert await conn.fetchval(f"select count(*) from holdfast.{table}") == 0, table


async def test_live_jobs_are_never_forgotten(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(days=1))
    running = await running_job(conn, worker, payload="x" * 5000)
    ready = await ready_job(conn, payload="x" * 5000)
    await clock.advance(timedelta(days=400))
    assert (await prune(conn))["jobs"] == 0
    assert [await state_of(conn, job) for job in (running.id, ready)] == ["running", "ready"]
    assert await conn.fetchval("select count(*) from holdfast.payloads") == 2


async def test_a_dead_letter_that_nobody_dealt_with_keeps_its_job(conn: Connection, clock: Clock) -> None:
    job = await dead_job(conn)
    await clock.advance(timedelta(days=400))
    assert (await prune(conn))["jobs"] == 0
    await conn.execute("update holdfast.dead_letters set status = 'ignored'")
    await clock.advance(timedelta(days=1, minutes=1))
    assert (await prune(conn))["jobs"] == 1
    assert await state_of(conn, job.id) is None


async def test_each_queue_keeps_its_jobs_for_its_own_time(conn: Connection, clock: Clock) -> None:
    """However often somebody prunes before they are old."""
    for queue, retention in (("short", "1 hour"), ("day", "1 day"), ("year", "1 year")):
        await a_queue(conn, queue, retention=retention)
    for _ in range(60):
        for queue in ("short", "day", "default", "year"):
            await completed_job(conn, queue=queue)
        await clock.advance(timedelta(hours=12))
        await conn.execute("select holdfast.summarise_ends()")
        await prune(conn)
    rows = await conn.fetch("select queue, count(*) as jobs from holdfast.history group by queue")
    assert {row["queue"]: row["jobs"] for row in rows} == {"day": 1, "default": 59, "year": 60}


async def test_a_shorter_retention_counts_at_once(conn: Connection, clock: Clock) -> None:
    for queue in ("mail", "chat"):
        await completed_job(conn, queue=queue)
    await clock.advance(timedelta(days=2))
    await conn.execute("select holdfast.summarise_ends()")
    assert (await prune(conn))["jobs"] == 0
    for queue in ("mail", "chat"):
        await a_queue(conn, queue, retention="1 day")
        assert [(await prune(conn))["jobs"] for _ in range(2)] == [1, 0]


async def test_intervals_that_compare_as_equal_are_told_apart(conn: Connection, clock: Clock) -> None:
    for queue, retention in (("days", "360 days"), ("year", "1 year")):
        await a_queue(conn, queue, retention=retention)
        await completed_job(conn, queue=queue)
    await clock.advance(timedelta(days=361))
    await conn.execute("select holdfast.summarise_ends()")
    assert (await prune(conn))["jobs"] == 1
    assert await conn.fetchval("select queue from holdfast.history") == "year"


async def test_the_jobs_of_a_removed_queue_go_within_a_day(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, "gone", retention="1 year")
    await completed_job(conn, queue="gone")
    await clock.advance(timedelta(days=40))
    await conn.execute("select holdfast.summarise_ends()")
    assert (await prune(conn))["jobs"] == 0
    await conn.execute("delete from holdfast.queues where name = 'gone'")
    await clock.advance(timedelta(days=1, minutes=1))
    assert (await prune(conn))["jobs"] == 1


async def test_a_batch_that_is_full_goes_on_in_the_same_day(conn: Connection, clock: Clock) -> None:
    for _ in range(5):
        await completed_job(conn)
    await clock.advance(timedelta(days=31))
    await conn.execute("select holdfast.summarise_ends()")
    assert [(await prune(conn, 2))["jobs"] for _ in range(4)] == [2, 2, 1, 0]


async def test_a_replayed_job_is_kept_until_its_new_end_is_old(conn: Connection, clock: Clock) -> None:
    job = await dead_job(conn)
    await clock.advance(timedelta(days=20))
    await replay(conn, job.id)
    await conn.execute("select holdfast.renew_lease($1)", job.worker)
    await complete(conn, await claim_one(conn, job.worker))
    await clock.advance(timedelta(days=20))
    assert (await prune(conn))["jobs"] == 0
    await clock.advance(timedelta(days=11))
    assert (await prune(conn))["jobs"] == 1


async def test_a_batch_has_its_bound(conn: Connection, clock: Clock) -> None:
    for _ in range(5):
        await cancelled_job(conn)
    await clock.advance(timedelta(days=31))
    assert [(await prune(conn, 2))["jobs"] for _ in range(4)] == [2, 2, 1, 0]


async def test_expired_keys_go_and_others_stay(conn: Connection, clock: Clock) -> None:
    await completed_job(conn, unique_key="period", unique_for="1 hour")
    await completed_job(conn, unique_key="forever", unique_for="forever")
    await ready_job(conn, unique_key="live")
    assert (await prune(conn))["keys"] == 0
    await clock.advance(timedelta(hours=2))
    assert (await prune(conn))["keys"] == 1
    left = {row["key"] for row in await conn.fetch("select key from holdfast.unique_keys")}
    assert left == {"forever", "live"}


async def test_expired_sessions_links_and_secrets_go_within_the_bound(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    for count in range(3):
        await a_session(conn, f"short {count}", lifetime=timedelta(minutes=5))
    await a_session(conn, "long", lifetime=timedelta(days=30))
    await a_link(conn)
    await conn.execute(
        "select holdfast.rotate_access_key('ci', $1, $2)", digest("two"), timedelta(minutes=10)
    )
    await a_session(conn, "new", by="two", lifetime=timedelta(days=30))
    assert (await prune(conn))["keys"] == 0
    await clock.advance(timedelta(hours=1))
    assert [(await prune(conn, 2))["keys"] for _ in range(4)] == [2, 2, 1, 0]
    left = await conn.fetch("select hash from holdfast.access_secrets")
    assert {row["hash"] for row in left} == {digest("two"), digest("new")}


async def test_what_people_did_and_bad_ends_stay_in_the_audit_trail(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, detail="full")
    await cancelled_job(conn)
    await clock.advance(timedelta(days=31))
    await prune(conn)
    rows = await conn.fetch("select cause, actor from holdfast.events where job_id is not null order by id")
    assert [tuple(row) for row in rows] == [("end", None), ("cancel", "Ada")], "bad ends are sealed by day"
