"""(nothing) -> declared: a changed definition is the next version, and SQL knows the way."""

import json
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    claim_one,
    complete,
    fail,
    letter_of,
    ready_job,
    refusal,
    settle,
    state_of,
    the_job,
    to_json,
)
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job


async def test_the_same_definition_is_the_same_version(conn: Connection) -> None:
    assert await a_pipeline(conn) == 1
    assert await a_pipeline(conn) == 1
    assert await a_pipeline(conn, stages=["a", "c"]) == 2
    assert await a_pipeline(conn) == 3
    rows = await conn.fetch("select stage, next, queue from holdfast.stages where version = 1 order by place")
    assert [(row["stage"], row["next"], row["queue"]) for row in rows] == [
        ("a", "b", "line.a"),
        ("b", "c", "line.b"),
        ("c", None, "line.c"),
    ]


async def test_a_lane_follows_the_endpoint_of_the_queue(conn: Connection) -> None:
    await a_pipeline(conn)
    await a_queue(conn, "line.b", endpoint="model")
    assert await a_pipeline(conn) == 1
    rows = await conn.fetch("select endpoint from holdfast.stage_view order by place")
    assert [row["endpoint"] for row in rows] == [None, "model", None]


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        ([], "must be an object with a list of 1 to 200 stages"),
        ([{"name": "a"}], "name and task of stage 1 must have"),
        ([{"name": "a", "task": "t"}, {"name": "a", "task": "t"}], "two stages have the name a"),
        (
            [{"name": "a", "task": "t", "max_visits": None}],
            "max_visits of stage a must be between 1 and 1000",
        ),
        (
            [{"name": "a", "task": "t", "max_visits": 1001}],
            "max_visits of stage a must be between 1 and 1000",
        ),
        ([{"name": "a", "task": "t", "colour": "red"}], "stage a has no setting colour"),
        (
            [{"name": "a", "task": "t", "on_reject": "cry"}],
            "is out of range: on_reject must be end, retry or dead",
        ),
    ],
)
async def test_a_pipeline_that_cannot_work_is_refused(conn: Connection, stages: Any, why: str) -> None:
    exc = await refusal(conn, "select holdfast.declare_pipeline('line', $1)", to_json({"stages": stages}))
    assert exc.sqlstate == "HF002"
    assert why in str(exc)


async def test_a_job_enters_at_the_first_stage_with_its_task_and_queue(conn: Connection) -> None:
    await a_pipeline(
        conn, stages=[{"name": "a", "task": "read", "queue": "q", "endpoint": "m", "timeout": 9}]
    )
    job = await entered_job(conn, task="whatever", priority=90)
    row = await the_job(conn, job)
    assert (row["task"], row["queue"], row["stage"], row["endpoint"]) == ("read", "q", "a", "m")
    assert (row["priority"], row["timeout"].total_seconds()) == (90, 9)


async def test_jobs_of_one_call_may_enter_several_pipelines(conn: Connection) -> None:
    await a_pipeline(conn, "one")
    await a_pipeline(conn, "two", ["x", "y"])
    rows = await conn.fetch(
        "select job_id from holdfast.enqueue_jobs(array['t'], $1::json[], '{}', $2::jsonb[])",
        ["{}"] * 3,
        ['{"pipeline": "one"}', '{"pipeline": "two", "stage": "y"}', "{}"],
    )
    found = [await the_job(conn, row["job_id"]) for row in rows]
    assert [(one["stage"], one["task"], one["queue"]) for one in found] == [
        ("a", "a", "one.a"),
        ("y", "y", "two.y"),
        (None, "t", "default"),
    ]


async def test_an_unknown_pipeline_or_stage_is_refused(conn: Connection) -> None:
    await a_pipeline(conn)
    enqueue = "select holdfast.enqueue_jobs(array['t'], array['{}'::json], $1)"
    assert (await refusal(conn, enqueue, '{"pipeline": "none"}')).sqlstate == "HF004"
    assert "has no stage z" in str(await refusal(conn, enqueue, '{"pipeline": "line", "stage": "z"}'))


async def test_advance_without_a_stage_is_the_next_in_order_and_the_last_one_completes(
    conn: Connection,
) -> None:
    await a_pipeline(conn)
    worker = await a_stage_worker(conn)
    job = await entered_job(conn, payload={"n": 1}, priority=33)
    for stage, later in [("a", "b"), ("b", "c")]:
        held = await claim_one(conn, worker)
        assert await settle(conn, held, "advance", None, output={"of": stage})
        row = await the_job(conn, job)
        assert (row["state"], row["stage"], row["queue"], row["priority"]) == (
            "ready",
            later,
            f"line.{later}",
            33,
        )
    assert await settle(conn, await claim_one(conn, worker), "advance", None, output="end")
    row = await the_job(conn, job)
    assert (row["state"], json.loads(row["output"]), json.loads(row["payload"])) == (
        "completed",
        "end",
        {"n": 1},
    )
    outputs = await conn.fetch("select stage, visit, output::text from holdfast.stage_outputs order by visit")
    assert [tuple(one) for one in outputs] == [
        ("a", 1, '{"of": "a"}'),
        ("b", 2, '{"of": "b"}'),
        ("c", 3, '"end"'),
    ]


async def test_complete_ends_a_pipeline_early_and_its_output_is_the_stages(conn: Connection) -> None:
    await a_pipeline(conn)
    job = await entered_job(conn)
    await complete(conn, await claim_one(conn, await a_stage_worker(conn)), 5)
    assert await state_of(conn, job) == "completed"
    ((stage, output),) = await conn.fetch("select stage, output::text from holdfast.stage_outputs")
    assert (stage, output) == ("a", "5")


async def test_a_mix_of_jobs_settles_in_one_call(conn: Connection) -> None:
    """Straight on, the last stage, a jump, an impossible jump, in no pipeline, and one that was lost."""
    await a_pipeline(conn, stages=["a", "b"])
    worker = await a_stage_worker(conn)
    straight, jump, wrong, lost = [await entered_job(conn) for _ in range(4)]
    last = await entered_job(conn, stage="b")
    plain = await ready_job(conn, queue="line.a")
    rows = await conn.fetch("select job_id, token from holdfast.claim_jobs($1, 10)", worker)
    tokens = {row["job_id"]: row["token"] for row in rows}
    ids = [straight, jump, wrong, lost, last, plain]
    details = [None, '{"stage": "b", "units": 2}', '{"stage": "z"}', None, '{"units": 1}', None]
    marks = [tokens[job] if job != lost else worker for job in ids]
    missing = await conn.fetch("select holdfast.advance_jobs($1, $2, $3, $4)", ids, marks, ["1"] * 6, details)
    assert [row[0] for row in missing] == [lost]
    states = [await state_of(conn, job) for job in ids]
    assert states == ["ready", "ready", "dead", "running", "completed", "completed"]
    assert (await the_job(conn, jump))["units"] == 2
    letter = await letter_of(conn, wrong)
    assert letter is not None
    assert "version 1 of the pipeline line has no stage z" in letter["message"]


async def test_a_stage_may_be_entered_only_so_often_in_one_life(conn: Connection) -> None:
    await a_pipeline(conn, stages=[{"name": "a", "task": "a", "max_visits": 2}, "b"])
    worker = await a_stage_worker(conn)
    job = await entered_job(conn)
    for stage in ["b", "a", "b"]:
        await settle(conn, await claim_one(conn, worker), "advance", {"stage": stage})
    await settle(conn, await claim_one(conn, worker), "advance", {"stage": "a"})
    letter = await letter_of(conn, job)
    assert letter is not None
    assert 'has entered the stage "a" 2 times, and max_visits of the stage is 2' in letter["message"]
    await conn.execute("select holdfast.replay_jobs($1)", [job])
    await settle(conn, await claim_one(conn, worker), "advance", {"stage": "a"})
    assert (await the_job(conn, job))["stage"] == "a"


async def test_each_stage_retries_by_the_policy_of_its_queue(conn: Connection) -> None:
    await a_pipeline(conn)
    await a_queue(conn, "line.a", retry=[0], max_failures=1)
    job = await entered_job(conn)
    await fail(conn, await claim_one(conn, await a_stage_worker(conn)))
    assert await state_of(conn, job) == "dead"
    await conn.execute("select holdfast.replay_jobs($1)", [job])
    assert (await the_job(conn, job))["stage"] == "a"
