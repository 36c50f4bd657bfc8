"""`holdfast jobs show` tells which models and tools a job called."""

import json

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, running_job, settle
from tests.cli.command import holdfast
from tests.cli.scene import given
from tests.sql.endpoints.scene import a_fixed_endpoint, claimed
from tests.sql.summarise_ends.scene import call
from tests.stage_builders import a_pipeline, a_stage_worker

MODEL = {"kind": "model", "name": "llama", "units": 12, "seconds": 0.5, "finish_reason": "tool_calls"}
TOOL = {"kind": "tool", "name": "look_up", "seconds": 0.1, "argument_bytes": 7, "finish_reason": "ok"}


async def job_with_calls(conn: Connection) -> str:
    job = await running_job(conn)
    for said in (MODEL, TOOL):
        await conn.execute("select holdfast.save_call($1, $2, $3)", job.id, job.token, json.dumps(said))
    await conn.execute("select holdfast.label_job($1, $2, $3)", job.id, job.token, '{"no_decision": true}')
    await complete(conn, job)
    return str(job.id)


def test_the_timeline_names_the_calls(database_url: str) -> None:
    job = given(database_url, job_with_calls)
    shown = holdfast("jobs", "show", job, url=database_url)
    assert shown.code == 0, shown.err
    assert "model call" in shown.out
    assert "llama, 12 units, 500 ms, tool_calls" in shown.out
    assert "look_up, 100 ms, ok" in shown.out


async def a_costly_pipeline(conn: Connection) -> str:
    """A draft for 10 units, of which a call used 4, and a check for 6, at half a unit of money each."""
    await a_fixed_endpoint(conn, price=0.5)
    stages = [{"name": name, "task": name, "endpoint": "model"} for name in ("draft", "check")]
    await a_pipeline(conn, stages=stages)
    job = await ready_job(conn, pipeline="line")
    worker = await a_stage_worker(conn)
    for units in (10, 6):
        (running,) = await claimed(conn, worker)
        if units == 10:
            await call(conn, running, units=4)
        assert await settle(conn, running, "advance", {"units": units})
    return str(job)


def test_the_timeline_says_what_each_stage_and_call_cost(database_url: str) -> None:
    job = given(database_url, a_costly_pipeline)
    shown = holdfast("jobs", "show", job, url=database_url)
    assert "big, 4 units, 1 s, cost 2\n" in shown.out
    assert "draft, cost 5: " in shown.out
    assert "check, cost 3\n" in shown.out


def test_json_has_each_call_with_all_that_is_known(database_url: str) -> None:
    job = given(database_url, job_with_calls)
    first, second = holdfast("jobs", "show", job, "--json", url=database_url).document["calls"]
    assert {name: first[name] for name in MODEL} == MODEL
    assert (second["seq"], second["argument_bytes"], second["units"]) == (2, 7, None)


def test_jobs_without_a_decision_are_found_by_their_label(database_url: str) -> None:
    job = given(database_url, job_with_calls)
    found = holdfast("jobs", "list", "--label", "no_decision=true", "--json", url=database_url).document[
        "jobs"
    ]
    assert [one["id"] for one in found] == [job]
