"""(nothing) -> ready: children of a running job, made once for each name."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    cancel,
    claim,
    complete,
    fail,
    refusal,
    replay,
    running_job,
    settle,
    state_of,
    the_job,
)

SPAWN = (
    "select run, is_over from holdfast.spawn_children($1, $2, 'kids', array['kid'], $3::json[], $4, $5, $6)"
)


async def spawn(
    conn: Connection,
    job: Running,
    n: int = 2,
    wait: str = "all",
    on_failure: str = "fail",
    options: str = "{}",
) -> tuple[UUID, bool]:
    row = await conn.fetchrow(SPAWN, job.id, job.token, ["{}"] * n, options, wait, on_failure)
    assert row is not None
    return row["run"], row["is_over"]


async def family(conn: Connection, **options: Any) -> tuple[Running, list[Running]]:
    """A parent that waits, and its running children."""
    job = await running_job(conn, queue="parents")
    await spawn(conn, job, options='{"queue": "kids"}', **options)
    assert await settle(conn, job, "wait", {"for": "children:kids"})
    return job, await claim(conn, await a_worker(conn, ["kids"]), 10)


async def close(conn: Connection) -> None:
    await conn.execute("select holdfast.close_runs()")


async def test_children_are_made_once_and_inherit_the_priority(conn: Connection) -> None:
    job = await running_job(conn, priority=77, queue="parents")
    run, is_over = await spawn(conn, job)
    assert not is_over
    assert await spawn(conn, job) == (run, False)
    rows = await conn.fetch("select parent_id, priority, run_id from holdfast.jobs where task = 'kid'")
    assert [tuple(row) for row in rows] == [(job.id, 77, run)] * 2


async def test_the_parent_goes_on_when_the_last_child_has_ended(conn: Connection) -> None:
    job, (first, second) = await family(conn)
    await complete(conn, first)
    await close(conn)
    row = await the_job(conn, job.id)
    assert (row["state"], row["reason"], row["worker"]) == ("waiting", "children", None)
    await complete(conn, second)
    await close(conn)
    assert await state_of(conn, job.id) == "ready"


async def test_children_that_end_before_the_wait_do_not_leave_it_waiting(conn: Connection) -> None:
    job = await running_job(conn, queue="parents")
    await spawn(conn, job, 1, options='{"queue": "kids"}')
    (child,) = await claim(conn, await a_worker(conn, ["kids"]), 10)
    await complete(conn, child)
    await close(conn)
    assert (await spawn(conn, job, 1))[1]
    await settle(conn, job, "wait", {"for": "children:kids"})
    assert await state_of(conn, job.id) == "ready"


async def test_none_at_all_are_over_at_once(conn: Connection) -> None:
    assert (await spawn(conn, await running_job(conn), 0))[1]


async def test_the_first_is_enough_and_the_others_are_cancelled(conn: Connection) -> None:
    job, (first, second) = await family(conn, wait="first")
    await complete(conn, first)
    await close(conn)
    assert await state_of(conn, job.id) == "ready"
    assert await conn.fetchval(
        "select cancel_asked_at is not null from holdfast.jobs where id = $1", second.id
    )


async def test_first_is_not_met_by_a_failure_unless_nothing_is_left(conn: Connection) -> None:
    job, (first, second) = await family(conn, wait="first")
    await fail(conn, first, error_class="permanent")
    await close(conn)
    assert await state_of(conn, job.id) == "waiting"
    await fail(conn, second, error_class="permanent")
    await close(conn)
    assert await state_of(conn, job.id) == "ready"


async def test_with_wait_a_dead_child_is_waited_for_until_it_is_replayed(conn: Connection) -> None:
    job, (first, second) = await family(conn, on_failure="wait")
    await complete(conn, first)
    await fail(conn, second, error_class="permanent")
    await close(conn)
    assert await state_of(conn, job.id) == "waiting"
    assert await replay(conn, second.id) == "replayed"
    (again,) = await claim(conn, second.worker, 10)
    await complete(conn, again)
    await close(conn)
    assert await state_of(conn, job.id) == "ready"


async def test_children_of_a_cancelled_parent_are_cancelled(conn: Connection) -> None:
    job = await running_job(conn, queue="parents")
    await spawn(conn, job)
    await settle(conn, job, "wait", {"for": "children:kids"})
    await cancel(conn, job.id)
    states = await conn.fetch("select state from holdfast.history where parent_id = $1", job.id)
    assert [row["state"] for row in states] == ["cancelled", "cancelled"]


async def test_a_stale_worker_makes_no_children(conn: Connection) -> None:
    job = await running_job(conn)
    exc = await refusal(conn, SPAWN, job.id, uuid4(), ["{}"], "{}", "all", "fail")
    assert exc.sqlstate == "HF006"
    assert await conn.fetchval("select count(*) from holdfast.runs") == 0


@pytest.mark.parametrize(("wait", "on_failure"), [("some", "fail"), ("all", "cry")])
async def test_what_is_not_known_is_refused(conn: Connection, wait: str, on_failure: str) -> None:
    job = await running_job(conn)
    exc = await refusal(conn, SPAWN, job.id, job.token, ["{}"], "{}", wait, on_failure)
    assert exc.sqlstate == "HF002"
