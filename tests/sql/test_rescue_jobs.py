"""Taking back what nobody looks after any more."""

from datetime import timedelta

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    attempts_of,
    cancel,
    claim,
    claim_one,
    complete,
    expire_worker,
    letter_of,
    ready_job,
    ready_jobs,
    renew,
    rescue,
    running_job,
    scheduled_job,
    settle,
    state_of,
    the_job,
    waiting_job,
)
from tests.sql.conftest import Clock


async def lose(conn: Connection) -> None:
    worker = await a_worker(conn)
    await claim_one(conn, worker)
    await expire_worker(conn, worker)
    await rescue(conn)


async def test_a_vanished_workers_jobs_are_ready_again_at_once(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker, alive = await a_worker(conn), await a_worker(conn)
    await claim(conn, worker, 2)
    kept = await claim_one(conn, alive)
    await expire_worker(conn, worker)
    assert dict(await rescue(conn)) == {
        "recovered": 2, "dead": 0, "timed_out": 0, "cancelled": 0, "expired": 0, "runs": 0,
    }  # fmt: skip
    assert await state_of(conn, kept.id) == "running"
    rows = await conn.fetch("select losses, failures from holdfast.jobs where state = 'ready'")
    assert [tuple(row) for row in rows] == [(1, 0)] * 2
    assert (await rescue(conn))["recovered"] == 0


async def test_a_lease_that_lasts_is_respected_to_its_end(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn, await a_worker(conn, lease=timedelta(seconds=30)))
    await clock.advance(timedelta(seconds=29))
    assert (await rescue(conn))["recovered"] == 0
    await clock.advance(timedelta(seconds=2))
    assert (await rescue(conn))["recovered"] == 1
    assert await state_of(conn, job.id) == "ready"


async def test_a_lost_attempt_tells_how_long_its_lease_was_good(conn: Connection, clock: Clock) -> None:
    """And goes on telling it after its worker was heard from again."""
    worker = await a_worker(conn, lease=timedelta(seconds=30))
    good_until = await conn.fetchval("select lease_until from holdfast.workers where id = $1", worker)
    job = await running_job(conn, worker)
    await clock.advance(timedelta(seconds=31))
    await rescue(conn)
    await renew(conn, worker)
    (attempt,) = await attempts_of(conn, job.id)
    assert (attempt["outcome"], attempt["lease_until"]) == ("forgiven", good_until)


async def test_a_job_that_kills_workers_is_dead_after_three(conn: Connection) -> None:
    job = await ready_job(conn, max_failures=100)
    for n in range(1, 4):
        assert await state_of(conn, job) == "ready"
        await lose(conn)
        assert len(await attempts_of(conn, job)) == n
    row = await the_job(conn, job)
    assert (row["state"], row["losses"], row["failures"], row["attempt"]) == ("dead", 3, 0, 3)
    letter = await letter_of(conn, job)
    assert letter is not None
    assert (letter["reason"], letter["error_type"]) == ("lost_too_often", "WorkerLost")
    assert [row["outcome"] for row in await attempts_of(conn, job)] == ["lost"] * 3


async def test_a_queue_decides_how_many_losses_and_how_long_a_rest(conn: Connection, clock: Clock) -> None:
    await a_queue(conn, max_losses=2, rescue_delay="10 minutes")
    job = await ready_job(conn)
    await lose(conn)
    row = await the_job(conn, job)
    assert row["state"] == "scheduled"
    assert abs(row["due_at"] - await clock.now() - timedelta(minutes=10)) < timedelta(seconds=2)
    await clock.advance(timedelta(minutes=10))
    await lose(conn)
    assert await state_of(conn, job) == "dead"


async def test_each_loss_rests_longer_where_the_queue_has_a_policy_for_it(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, max_losses=5, rescue_delay="analysis-runs")
    job = await ready_job(conn)
    for minutes in (5, 10, 20, 40):
        await lose(conn)
        row, attempts = await the_job(conn, job), await attempts_of(conn, job)
        assert (row["state"], row["due_at"]) == ("scheduled", attempts[-1]["retry_at"])
        await clock.advance(timedelta(minutes=minutes))
    await lose(conn)
    letter = await letter_of(conn, job)
    assert letter is not None
    assert letter["reason"] == "lost_too_often"
    *rested, last = await attempts_of(conn, job)
    rests = [round((row["retry_at"] - row["ended_at"]) / timedelta(minutes=1)) for row in rested]
    assert (rests, last["retry_at"]) == ([5, 10, 20, 40], None)


async def test_a_release_by_a_worker_that_signed_off_rests_not_at_all(conn: Connection) -> None:
    await a_queue(conn, rescue_delay=[600])
    worker = await a_worker(conn)
    job = await running_job(conn, worker)
    await conn.execute(
        "update holdfast.workers set state = 'stopped', stopped_at = holdfast.now() where id = $1", worker
    )
    await rescue(conn)
    assert await state_of(conn, job.id) == "ready"


async def test_an_attempt_past_its_time_is_a_failure_and_its_worker_is_fenced(
    conn: Connection, clock: Clock
) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    job = await running_job(conn, worker, timeout=60, max_failures=2, retry=[1])
    await clock.advance(timedelta(seconds=63))
    assert (await rescue(conn))["timed_out"] == 0  # the worker has five seconds to say so itself
    await clock.advance(timedelta(seconds=3))
    assert (await rescue(conn))["timed_out"] == 1
    row = await the_job(conn, job.id)
    assert (row["state"], row["failures"], row["losses"]) == ("scheduled", 1, 0)
    assert not await complete(conn, job)
    (attempt,) = await attempts_of(conn, job.id)
    assert (attempt["outcome"], attempt["counted"], attempt["error_type"]) == ("timed_out", True, "TimedOut")


async def test_a_running_job_past_its_deadline_is_dead(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    job = await running_job(conn, worker, deadline=await clock.now() + timedelta(minutes=1))
    await clock.advance(timedelta(minutes=2))
    assert (await rescue(conn))["timed_out"] == 1
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert letter["reason"] == "deadline_passed"


async def test_a_deadline_ends_what_has_not_started(conn: Connection, clock: Clock) -> None:
    soon = await clock.now() + timedelta(minutes=1)
    jobs = [
        await ready_job(conn, deadline=soon),
        await scheduled_job(conn, timedelta(hours=1), deadline=soon),
    ]
    waits = await waiting_job(conn, deadline=soon)
    safe = await ready_job(conn, deadline=soon + timedelta(hours=1))
    await clock.advance(timedelta(minutes=2))
    assert (await rescue(conn))["expired"] == 4  # the head of the line too
    for job in [*jobs, waits]:
        assert await state_of(conn, job) == "dead"
        letter = await letter_of(conn, job)
        assert letter is not None
        assert letter["reason"] == "deadline_passed"
    assert await state_of(conn, safe) == "ready"


async def test_a_family_past_its_deadline_has_one_dead_letter(conn: Connection) -> None:
    """The parent is dead, and takes its child with it; the sweep had both in hand."""
    parent = await running_job(conn, queue="parents")
    await conn.execute(
        "select holdfast.spawn_children($1, $2, 'k', array['kid'], array['1']::json[])",
        parent.id,
        parent.token,
    )
    assert await settle(conn, parent, "wait", {"for": "children:k"})
    await conn.execute(
        "update holdfast.jobs set deadline = holdfast.now() - interval '1 minute'"
        " - case when id = $1 then interval '1 minute' else '0' end",
        parent.id,
    )
    assert (await rescue(conn))["expired"] == 1
    ends = await conn.fetch("select state from holdfast.history order by state")
    assert [row["state"] for row in ends] == ["cancelled", "dead"]
    assert await conn.fetchval("select count(*) from holdfast.dead_letters") == 1


async def test_sweeps_at_once_pass_over_what_another_has_taken(database_url: str) -> None:
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    transaction = other.transaction()
    await transaction.start()
    assert (await rescue(other))["recovered"] == 1
    assert (await rescue(conn))["recovered"] == 0
    await transaction.rollback()
    assert (await rescue(conn))["recovered"] == 1
    await conn.close()
    await other.close()


async def test_a_rescue_passes_over_a_job_that_is_ending_right_now(database_url: str) -> None:
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    transaction = other.transaction()
    await transaction.start()
    assert await complete(other, job)
    assert (await rescue(conn))["recovered"] == 0
    await transaction.commit()
    assert (await rescue(conn))["recovered"] == 0
    assert await state_of(conn, job.id) == "completed"
    await conn.close()
    await other.close()


async def test_a_worker_that_renewed_since_it_was_looked_at_is_not_fenced(conn: Connection) -> None:
    worker = await a_worker(conn)
    assert await conn.fetchval("select holdfast.fence_worker($1)", worker) is False
    assert await conn.fetchval("select rescued_at from holdfast.workers") is None
    await expire_worker(conn, worker)
    assert await conn.fetchval("select holdfast.fence_worker($1)", worker) is True


async def test_a_renewal_that_came_first_wins(database_url: str) -> None:
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    transaction = other.transaction()
    await transaction.start()
    await other.execute("select holdfast.renew_lease($1)", job.worker)
    assert (await rescue(conn))["recovered"] == 0
    await transaction.commit()
    assert await cancel(conn, job.id) == "asked"
    assert await complete(conn, job)
    await conn.close()
    await other.close()


async def set_rescue(conn: Connection, value: str | None, queue: str | None = None) -> None:
    await conn.execute("select holdfast.set_flag('rescue', $1, $2)", value, queue)


async def test_with_rescue_off_jobs_stay_with_their_worker_also_past_their_timeout(conn: Connection) -> None:
    job = await running_job(conn, timeout="10s")
    await set_rescue(conn, "off")
    await expire_worker(conn, job.worker)
    await conn.execute("update holdfast.jobs set stop_at = now() - interval '1 hour'")
    assert set(dict(await rescue(conn)).values()) == {0}
    (why,) = await conn.fetch("select detail from holdfast.explain($1)", job.id)
    assert why["detail"].endswith(
        "its lease has ended; no other worker takes the job over, because the flag rescue is off for queue"
        " default."
    )
    stuck = "select name from holdfast.stuck_jobs(interval '0', 10)"
    assert await conn.fetch(stuck) == []
    assert not (await renew(conn, job.worker))["rescued"]
    assert (await rescue(conn))["timed_out"] == 1, "its worker lives, so its timeout counts again"


async def test_rescue_on_again_takes_the_jobs_over_at_once(conn: Connection) -> None:
    job = await running_job(conn)
    await set_rescue(conn, "off")
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["recovered"] == 0
    await set_rescue(conn, None)
    assert [row["name"] for row in await conn.fetch("select name from holdfast.stuck_jobs('0', 10)")] == [
        "stuck_running"
    ]
    assert (await rescue(conn))["recovered"] == 1
    assert await state_of(conn, job.id) == "ready"


async def test_rescue_of_one_queue_wins_over_that_of_all(conn: Connection) -> None:
    worker = await a_worker(conn, queues=["kept", "taken"])
    kept, taken = (
        await running_job(conn, worker, queue="kept"),
        await running_job(conn, worker, queue="taken"),
    )
    await set_rescue(conn, "off")
    await set_rescue(conn, "on", "taken")
    await expire_worker(conn, worker)
    assert (await rescue(conn))["recovered"] == 1
    assert (await state_of(conn, kept.id), await state_of(conn, taken.id)) == ("running", "ready")
    assert (await renew(conn, worker))["rescued"], "it has lost a job, so it drops all"
    assert await state_of(conn, kept.id) == "ready"
