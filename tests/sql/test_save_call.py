"""Calls of models and tools are recorded in order, with their result, and only by the owner of the job."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, claim_one, complete, refusal, release, replay, running_job

SAVE = "select holdfast.save_call($1, $2, $3, $4, $5)"
MODEL = {"kind": "model", "name": "m", "units": 12, "seconds": 0.5, "finish_reason": "stop"}
TOOL = {"kind": "tool", "name": "look_up", "seconds": 0.1, "argument_bytes": 7}


async def save(
    conn: Connection, job: Running, call: dict[str, Any], name: str | None = None, data: str | None = None
) -> bool:
    return bool(await conn.fetchval(SAVE, job.id, job.token, json.dumps(call), name, data))


async def calls(conn: Connection, job: UUID) -> list[dict[str, Any]]:
    rows = await conn.fetch(
        "select * from holdfast.call_view where job_id = $1 order by generation, visit, seq", job
    )
    return [dict(row) for row in rows]


async def checkpoints(conn: Connection, job: UUID) -> dict[str, str]:
    rows = await conn.fetch("select name, data from holdfast.load_checkpoints($1)", job)
    return {row["name"]: row["data"] for row in rows}


async def test_calls_are_numbered_and_their_results_are_checkpoints(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, MODEL, "agent/0/1", '{"a": 1}')
    assert await save(conn, job, TOOL)
    first, second = await calls(conn, job.id)
    assert (first["seq"], first["kind"], first["units"], first["seconds"]) == (1, "model", 12, 0.5)
    assert (second["seq"], second["units"], second["argument_bytes"]) == (2, None, 7)
    assert (first["attempt"], first["generation"], first["finish_reason"]) == (1, 1, "stop")
    assert await checkpoints(conn, job.id) == {"agent/0/1": '{"a": 1}'}


async def test_a_call_that_is_sent_again_is_recorded_once(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, MODEL, "one", "[1]")
    assert await save(conn, job, MODEL, "one", "[1]")
    assert len(await calls(conn, job.id)) == 1


async def test_a_stale_worker_records_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    await release(conn, job)
    assert not await save(conn, job, MODEL, "late", "1")
    again = await claim_one(conn, job.worker)
    assert not await save(conn, job, MODEL, "late", "1")
    assert await save(conn, again, MODEL)
    await complete(conn, again)
    assert not await save(conn, again, MODEL)
    assert [call["attempt"] for call in await calls(conn, job.id)] == [2]
    assert await checkpoints(conn, job.id) == {}


async def test_a_replay_counts_from_one_again(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, MODEL)
    await complete(conn, job)
    await replay(conn, job.id)
    again = await claim_one(conn, job.worker)
    await save(conn, again, MODEL)
    numbers = [(call["generation"], call["seq"]) for call in await calls(conn, job.id)]
    assert numbers == [(numbers[0][0], 1), (numbers[0][0] + 1, 1)]


async def test_secrets_in_an_error_are_not_kept(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, {**TOOL, "error": "password=hunter22 " + "x" * 9000})
    (call,) = await calls(conn, job.id)
    assert "hunter22" not in call["error"]
    assert len(call["error"]) == 500


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {**TOOL, "kind": "letter"},
        {**TOOL, "name": None},
        {**TOOL, "units": -1},
        {**TOOL, "argument_bytes": 1e12},
    ],
)
async def test_what_is_no_call_is_refused(conn: Connection, wrong: dict[str, Any]) -> None:
    job = await running_job(conn)
    error = await refusal(conn, SAVE, job.id, job.token, json.dumps(wrong), None, None)
    assert error.sqlstate == "HF002"


async def test_jobs_that_do_not_run_record_nothing(conn: Connection) -> None:
    assert await conn.fetchval(SAVE, uuid4(), uuid4(), json.dumps(MODEL), None, None) is False


async def test_the_timeline_tells_of_calls_and_not_of_an_agents_checkpoints(conn: Connection) -> None:
    job = await running_job(conn)
    await save(conn, job, MODEL, "agent/0/1", "1")
    await save(conn, job, {**TOOL, "finish_reason": "error", "error": "no"}, "agent/0/1/0", "1")
    rows = await conn.fetch("select what, words from holdfast.timeline($1)", job.id)
    told = [(row["what"], row["words"]) for row in rows if row["what"].endswith(("call", "checkpoint"))]
    assert told == [
        ("model call", "m, 12 units, 500 ms, stop"),
        ("tool call", "look_up, 100 ms, error, no"),
    ]
