"""A worker's turn: any mix of ends, then the next jobs, in one call."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_worker,
    claim,
    expire_worker,
    ready_job,
    ready_jobs,
    refusal,
    rescue,
    scheduled_job,
    state_of,
    the_job,
    to_json,
)
from tests.sql.conftest import Clock

TURN = "select * from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)"

End = tuple[Running, str, Any, Any]


async def turn(conn: Connection, worker: UUID, n: int, *ends: End) -> list[Record]:
    return await conn.fetch(TURN, worker, n, *columns(*ends))


def columns(*ends: End) -> list[list[Any]]:
    return [
        [job.id for job, *_ in ends],
        [job.token for job, *_ in ends],
        [verb for _, verb, *_ in ends],
        [None if output is None else to_json(output) for *_, output, _ in ends],
        [None if detail is None else to_json(detail) for *_, detail in ends],
    ]


async def test_every_kind_of_end_goes_in_one_call(conn: Connection) -> None:
    await ready_jobs(conn, 7)
    worker = await a_worker(conn)
    jobs = await claim(conn, worker, 7)
    rows = await turn(
        conn,
        worker,
        0,
        (jobs[0], "complete", {"answer": 42}, {"units": 2}),
        (jobs[1], "fail", None, {"class": "transient", "message": "no"}),
        (jobs[2], "snooze", None, {"delay": 60}),
        (jobs[3], "release", None, None),
        (jobs[4], "reject", "spam?", {"reason": "spam"}),
        (jobs[5], "advance", [1], {"stage": "two"}),
        (jobs[6], "cancel", None, {"reason": "asked"}),
    )
    assert rows == []
    assert [await state_of(conn, job.id) for job in jobs] == [
        "completed", "scheduled", "scheduled", "ready", "rejected", "ready", "cancelled",
    ]  # fmt: skip
    done = await the_job(conn, jobs[0].id)
    assert (json.loads(done["output"]), done["units"]) == ({"answer": 42}, 2)
    rejected = await the_job(conn, jobs[4].id)
    assert (json.loads(rejected["output"]), rejected["reason"]) == ("spam?", "spam")
    assert (await the_job(conn, jobs[6].id))["reason"] == "asked"


async def test_outputs_go_to_their_own_jobs(conn: Connection) -> None:
    await ready_jobs(conn, 20)
    worker = await a_worker(conn)
    jobs = list(reversed(await claim(conn, worker, 20)))
    await turn(conn, worker, 0, *((job, "complete", n, {"units": n}) for n, job in enumerate(jobs)))
    for n, job in enumerate(jobs):
        row = await the_job(conn, job.id)
        assert (json.loads(row["output"]), row["units"]) == (n, n)


async def test_what_a_turn_gives_back_it_may_claim_again(conn: Connection) -> None:
    job = await ready_job(conn)
    worker = await a_worker(conn)
    (held,) = await claim(conn, worker)
    (row, following) = await turn(conn, worker, 2, (held, "release", None, None))
    assert (row["kind"], row["job_id"], row["attempt"]) == ("job", job, 2)
    assert row["token"] != held.token
    assert (following["kind"], following["due_in"]) == ("next", None)


async def test_a_turn_that_finds_too_few_tells_when_something_is_due(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await scheduled_job(conn, timedelta(minutes=5))
    await scheduled_job(conn, timedelta(minutes=2))
    (row,) = await turn(conn, worker, 1)
    assert row["kind"] == "next"
    assert timedelta(seconds=115) < row["due_in"] <= timedelta(seconds=120)
    await ready_job(conn)
    (row,) = await turn(conn, worker, 1)
    assert row["kind"] == "job"


async def test_only_the_outdated_ends_of_a_mix_are_lost(conn: Connection) -> None:
    await ready_jobs(conn, 6)
    worker = await a_worker(conn)
    jobs = await claim(conn, worker, 6)
    stale = [Running(job.id, uuid4(), worker, job.attempt) for job in jobs[:3]]
    missing = Running(uuid4(), uuid4(), worker, 1)
    rows = await turn(
        conn,
        worker,
        0,
        (stale[0], "complete", 1, None),
        (jobs[3], "complete", 1, None),
        (stale[1], "fail", None, {"class": "permanent"}),
        (jobs[4], "fail", None, {"class": "permanent"}),
        (stale[2], "advance", 1, {"stage": "x"}),
        (jobs[5], "release", None, None),
        (missing, "complete", 1, None),
    )
    assert {(row["kind"], row["job_id"], row["token"]) for row in rows} == {
        ("lost", end.id, end.token) for end in [*stale, missing]
    }
    assert [await state_of(conn, job.id) for job in jobs] == ["running"] * 3 + ["completed", "dead", "ready"]
    assert await conn.fetchval("select count(*) from holdfast.stage_outputs") == 0


async def test_an_end_without_a_token_is_lost(conn: Connection) -> None:
    await ready_job(conn)
    worker = await a_worker(conn)
    (job,) = await claim(conn, worker)
    (row,) = await conn.fetch(TURN, worker, 0, [job.id], [None], ["complete"], ["1"], [None])
    assert row["kind"] == "lost"
    assert await state_of(conn, job.id) == "running"


async def test_a_job_twice_in_one_turn_obeys_the_token_it_has(conn: Connection) -> None:
    """A worker lost the job, claimed it again, and both handlers ended in the same moment."""
    for verb in ("complete", "fail", "snooze", "release", "reject", "advance", "cancel"):
        queue = f"q-{verb}"
        await ready_job(conn, queue=queue)
        worker = await a_worker(conn, [queue])
        (old,) = await claim(conn, worker)
        await turn(conn, worker, 0, (old, "release", None, None))
        (new,) = await claim(conn, worker)
        detail = {"class": "permanent", "stage": "x"}
        await turn(conn, worker, 0, (old, verb, None, detail), (new, verb, None, detail))
        assert await state_of(conn, new.id) != "running", verb


async def test_a_turn_without_a_lease_settles_but_claims_nothing(conn: Connection) -> None:
    await ready_jobs(conn, 2)
    worker = await a_worker(conn)
    (job,) = await claim(conn, worker)
    await expire_worker(conn, worker)
    (row,) = await turn(conn, worker, 5, (job, "complete", None, None))
    assert row["kind"] == "lapsed"
    assert await state_of(conn, job.id) == "completed"
    assert await conn.fetchval("select count(*) from holdfast.jobs where state = 'ready'") == 1


async def test_a_rescued_workers_ends_are_lost_and_it_lapsed(conn: Connection) -> None:
    job_id = await ready_job(conn)
    worker = await a_worker(conn)
    (job,) = await claim(conn, worker)
    await expire_worker(conn, worker)
    await rescue(conn)
    rows = await turn(conn, worker, 5, (job, "complete", None, None))
    assert [row["kind"] for row in rows] == ["lost", "lapsed"]
    assert await state_of(conn, job_id) == "ready"


async def test_an_unknown_end_undoes_the_whole_turn(conn: Connection) -> None:
    await ready_jobs(conn, 2)
    worker = await a_worker(conn)
    a, b = await claim(conn, worker, 2)
    for verb in ("finish", None):
        ends = columns((a, "complete", 1, None), (b, verb or "", 1, None))
        assert (await refusal(conn, TURN, worker, 0, *ends)).sqlstate == "HF002"
    assert await state_of(conn, a.id) == "running"


async def test_a_turn_with_nothing_to_do_says_nothing(conn: Connection) -> None:
    assert await turn(conn, await a_worker(conn), 0) == []
    assert await conn.fetch(TURN, await a_worker(conn), 0, None, None, None, None, None) == []


async def test_ends_that_are_all_the_same_are_said_once(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker = await a_worker(conn)
    jobs = await claim(conn, worker, 3)
    ids = [*(job.id for job in jobs), uuid4()]
    tokens = [*(job.token for job in jobs), uuid4()]
    rows = await conn.fetch(
        "select kind, job_id from holdfast.settle_and_claim($1, 0, $2, $3, '{complete}', '{}', '{}')",
        worker,
        ids,
        tokens,
    )
    assert [(row["kind"], row["job_id"]) for row in rows] == [("lost", ids[3])]
    ended = await conn.fetch("select state, output from holdfast.history")
    assert [(row["state"], row["output"]) for row in ended] == [("completed", None)] * 3
