"""The first workers of a run, by plan."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_sealed_run, an_open_run, ready_job, refusal, to_json
from tests.sql.continuations import the_continuation


async def start(conn: Connection, run: UUID, **plan: Any) -> list[Any]:
    rows = await conn.fetch("select b from holdfast.start_workers($1, $2) as b", run, to_json(plan))
    return [json.loads(row["b"]) for row in rows]


@pytest.mark.parametrize(
    ("jobs", "plan", "workers"),
    [
        (12, {"claim_size": 5}, 3),
        (100, {"claim_size": 5}, 5),
        (100, {"claim_size": 5, "most": 8}, 8),
        (1, {"claim_size": 5}, 1),
        (25, {}, 3),
    ],
)
async def test_as_many_workers_as_the_plan_says(
    conn: Connection, jobs: int, plan: dict[str, Any], workers: int
) -> None:
    """min(5, jobs / claim size), and ten where nothing is known of such jobs."""
    run, _ = await a_sealed_run(conn, jobs)
    found = await start(conn, run, **plan)
    assert [body["index"] for body in found] == list(range(workers))
    assert {(body["run"], body["cause"], body["remaining"]) for body in found} == {(str(run), "run", jobs)}
    assert [body["queues"] for body in found] == [["default"]] * workers


async def test_they_begin_two_seconds_apart_unless_the_plan_says_otherwise(conn: Connection) -> None:
    for plan, apart in (({}, 2.0), ({"apart": 0.5}, 0.5)):
        run, _ = await a_sealed_run(conn, 10)
        found = await start(conn, run, claim_size=2, **plan)
        rows = [await the_continuation(conn, UUID(body["continuation"])) for body in found]
        after = [(row["due_at"] - rows[0]["asked_at"]).total_seconds() for row in rows]
        assert after == pytest.approx([apart * i for i in range(5)], abs=0.01)


async def test_a_run_is_started_once(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 10)
    assert len(await start(conn, run, claim_size=5)) == 2
    assert await start(conn, run, claim_size=5) == []


async def test_a_run_without_work_starts_nobody(conn: Connection) -> None:
    assert await start(conn, await an_open_run(conn)) == []


async def test_the_claim_size_follows_the_time_that_such_jobs_took(conn: Connection) -> None:
    """Half of them took about 100 ms: 8 s of a box of 10 s hold some 80, and two slots twice as many."""
    run, _ = await a_sealed_run(conn, 1000)
    await conn.execute(
        "insert into holdfast.end_counts (minute, queue, task, state, jobs, run_tens) values"
        " (date_trunc('minute', holdfast.now()), 'default', 'task', 'completed', 50, '{\"19\": 50}')"
    )
    (body, *_) = await start(conn, run, time_box=10, slots=2)
    assert 100 < body["claim_size"] < 200


async def test_a_plan_that_makes_no_sense_and_a_run_that_is_not_there_are_refused(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 1)
    for plan in ({"colour": 1}, {"most": 0}, {"claim_size": 0}, {"apart": "2 days"}):
        error = await refusal(conn, "select holdfast.start_workers($1, $2)", run, to_json(plan))
        assert error.sqlstate == "HF002", plan
    await ready_job(conn)
    assert (await refusal(conn, "select holdfast.start_workers($1)", uuid4())).sqlstate == "HF004"
