"""ready | scheduled -> the same, in another queue."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    an_open_run,
    claim,
    claim_one,
    complete,
    expire_worker,
    ready_job,
    ready_jobs,
    refusal,
    rescue,
    running_job,
    scheduled_job,
    state_of,
    the_job,
    waiting_job,
)
from tests.machine.invariants import violations
from tests.stage_builders import a_pipeline, entered_job

MOVE = "select ready, scheduled from holdfast.move_jobs('a', 'b', $1, 'too many', 'Ada')"


async def two_queues(conn: Connection, **policy_of_b: Any) -> None:
    await a_queue(conn, "a")
    await a_queue(conn, "b", **policy_of_b)


async def move(conn: Connection, n: int = 100) -> tuple[int, int]:
    row = await conn.fetchrow(MOVE, n)
    assert row is not None
    return row["ready"], row["scheduled"]


async def stored(conn: Connection, job: UUID) -> Record:
    (row,) = await conn.fetch(
        """
        select j.*, l.queue as lane_queue, l.endpoint, l."group", l.task as lane_task, l.is_capped
        from holdfast.jobs as j join holdfast.lanes as l using (lane)
        where j.id = $1
        """,
        job,
    )
    return row


async def test_ready_and_scheduled_jobs_move_and_are_claimed_there(conn: Connection) -> None:
    await two_queues(conn)
    first, second = await ready_jobs(conn, 2, queue="a", payload={"n": 1})
    later = await scheduled_job(conn, queue="a")
    due = (await stored(conn, later))["due_at"]
    assert await move(conn) == (2, 1)
    assert [job.id for job in await claim(conn, await a_worker(conn, ["a", "b"]), 5)] == [first, second]
    assert [(await stored(conn, job))["lane_queue"] for job in (first, second, later)] == ["b"] * 3
    assert (await stored(conn, later))["due_at"] == due
    assert await violations(conn) == []


async def test_a_moved_job_ends_in_its_new_queue_once(conn: Connection) -> None:
    await two_queues(conn)
    job = await ready_job(conn, queue="a", payload={"n": 1})
    await move(conn)
    held = await claim_one(conn, await a_worker(conn, ["b"]))
    assert await complete(conn, held)
    ended = await the_job(conn, job)
    assert (ended["state"], ended["queue"], ended["attempt"]) == ("completed", "b", 1)


async def test_the_most_urgent_move_first_and_ready_ones_before_scheduled_ones(conn: Connection) -> None:
    await two_queues(conn)
    later = await scheduled_job(conn, queue="a")
    old = await ready_job(conn, queue="a")
    new = await ready_job(conn, queue="a", group="gpu")
    urgent = await ready_job(conn, queue="a", priority=90, endpoint="model")
    assert await move(conn, 2) == (2, 0)
    assert [(await stored(conn, job))["queue"] for job in (urgent, old, new, later)] == ["b", "b", "a", "a"]
    assert await move(conn, 2) == (1, 1)


async def test_running_and_waiting_jobs_stay(conn: Connection) -> None:
    await two_queues(conn)
    running = await running_job(conn, queue="a")
    behind = await waiting_job(conn, "key", queue="a")
    assert await move(conn) == (1, 0)
    assert [(await stored(conn, job))["queue"] for job in (running.id, behind)] == ["a", "a"]
    assert await complete(conn, running)


async def test_an_order_key_keeps_its_order_over_two_queues(conn: Connection) -> None:
    await two_queues(conn)
    head = await ready_job(conn, queue="a", order_key="key")
    behind = await ready_job(conn, queue="a", order_key="key")
    assert await move(conn) == (1, 0)
    worker = await a_worker(conn, ["a", "b"])
    held = await claim_one(conn, worker)
    assert (held.id, await state_of(conn, behind)) == (head, "waiting")
    assert await complete(conn, held)
    assert (await claim_one(conn, worker)).id == behind
    assert await violations(conn) == []


async def test_a_unique_key_stands_for_the_moved_job(conn: Connection) -> None:
    await two_queues(conn)
    job = await ready_job(conn, queue="a", unique_key="one")
    await move(conn)
    assert await ready_job(conn, queue="a", unique_key="one") == job


async def test_a_suspect_stays(conn: Connection) -> None:
    await two_queues(conn)
    job = await running_job(conn, queue="a")
    await expire_worker(conn, job.worker)
    await rescue(conn)
    assert await state_of(conn, job.id) == "ready"
    assert await move(conn) == (0, 0)


async def test_a_job_of_a_pipeline_stays_in_the_queue_of_its_stage(conn: Connection) -> None:
    await a_pipeline(conn, stages=[{"name": "a", "task": "task", "queue": "a"}])
    await a_queue(conn, "b")
    job = await entered_job(conn)
    plain = await ready_job(conn, queue="a")
    assert await move(conn) == (1, 0)
    assert [(await stored(conn, one))["queue"] for one in (job, plain)] == ["a", "b"]


async def test_what_a_job_has_from_its_queue_is_replaced_and_its_own_is_kept(conn: Connection) -> None:
    await a_queue(conn, "a", priority=20, timeout=300, endpoint="fast")
    await a_queue(conn, "b", priority=70, timeout=1800, endpoint="slow")
    usual = await stored(conn, await ready_job(conn, queue="a"))
    own = await stored(conn, await ready_job(conn, queue="a", priority=33, timeout=60, endpoint="mine"))
    await move(conn)
    usual, own = await stored(conn, usual["id"]), await stored(conn, own["id"])
    assert (usual["priority"], usual["urgency"]) == (70, 70)
    assert (usual["timeout"], usual["endpoint"]) == (timedelta(minutes=30), "slow")
    assert (own["priority"], own["timeout"], own["endpoint"]) == (33, timedelta(minutes=1), "mine")


async def test_group_limited_task_and_budget_keep_lanes_of_their_own(conn: Connection) -> None:
    await two_queues(conn)
    await conn.execute("""select holdfast.declare_task('narrow', '{"max_concurrent": 1}')""")
    run = await an_open_run(conn, max_units=0)
    job = await ready_job(conn, queue="a", task="narrow", group="gpu", run=run)
    await move(conn)
    row = await stored(conn, job)
    assert (row["group"], row["lane_task"], row["is_capped"]) == ("gpu", "narrow", True)
    assert await claim(conn, await a_worker(conn, ["b"], group="gpu")) == []


async def test_a_move_keeps_the_age_of_a_job_with_and_without_ageing(conn: Connection) -> None:
    await two_queues(conn, ageing=10)
    job, other = await ready_jobs(conn, 2, queue="a", priority=60)
    before = await the_job(conn, job)
    newer = await ready_job(conn, queue="b", priority=60)
    await move(conn)
    row = await stored(conn, job)
    assert (row["urgency"], row["lead"]) == (0, timedelta(minutes=6))
    assert (await the_job(conn, job))["ready_at"] == before["ready_at"]
    order = [found.id for found in await claim(conn, await a_worker(conn, ["b"]), 3)]
    assert order == [job, other, newer]


async def test_a_paused_queue_keeps_what_is_moved_to_it(conn: Connection) -> None:
    await two_queues(conn)
    await conn.execute("select holdfast.pause_queue('b', 'later', 'Ada')")
    job = await ready_job(conn, queue="a")
    assert await move(conn) == (1, 0)
    assert await claim(conn, await a_worker(conn, ["b"])) == []
    blockers = await conn.fetch("select blocker, blocks from holdfast.explain($1)", job)
    assert [tuple(row) for row in blockers] == [("paused", True), ("moved", False)]


async def test_one_event_for_the_call_and_one_for_each_job(conn: Connection) -> None:
    await two_queues(conn)
    job, _ = await ready_jobs(conn, 2, queue="a")
    await move(conn)
    rows = await conn.fetch("select cause, queue, actor, reason, detail::text from holdfast.audit_view")
    assert [tuple(row)[:4] for row in rows] == [("move_jobs", "a", "Ada", "too many")]
    assert rows[0]["detail"] == '{"ready": 2, "to_queue": "b", "scheduled": 0, "from_queue": "a"}'
    entry = await conn.fetchrow("select * from holdfast.timeline($1) where what = 'move'", job)
    assert entry is not None
    assert entry["words"] == "too many"
    assert '"to_queue": "b"' in entry["detail"]


async def test_explain_names_the_last_move(conn: Connection) -> None:
    await two_queues(conn)
    job = await ready_job(conn, queue="a")
    await move(conn)
    detail = await conn.fetchval("select detail from holdfast.explain($1) where blocker = 'moved'", job)
    assert detail.startswith("It was moved from queue a to b at ")
    assert detail.endswith(": too many")


async def test_a_move_that_finds_nothing_writes_nothing(conn: Connection) -> None:
    await two_queues(conn)
    assert await move(conn) == (0, 0)
    assert await conn.fetchval("select count(*) from holdfast.events where cause like 'move%'") == 0


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("('a', 'b', 0, 'why')", "HF002", "n must be at least 1 and at most 10000 (got 0)."),
        ("('a', 'b', 10001, 'why')", "HF002", "n must be at least 1 and at most 10000 (got 10001)."),
        ("('a', 'b', null, 'why')", "HF002", "n must be at least 1 and at most 10000 (got null)."),
        ("('a', 'b', 1, ' ')", "HF002", "reason must not be empty."),
        ("('a', 'a', 1, 'why')", "HF002", "Both queues are a."),
        ("('a', 'nowhere', 1, 'why')", "HF004", "There is no queue nowhere."),
        ("('nowhere', 'b', 1, 'why')", "HF004", "There is no queue nowhere."),
        ("(null, 'b', 1, 'why')", "HF004", "There is no queue null."),
    ],
)
async def test_a_bad_call_is_refused(conn: Connection, call: str, code: str, message: str) -> None:
    await two_queues(conn)
    error = await refusal(conn, f"select holdfast.move_jobs{call}")
    assert (error.sqlstate, str(error).splitlines()[0]) == (code, message)
