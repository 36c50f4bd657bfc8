"""`holdfast jobs show` tells which models and tools a job called."""

import json

from holdfast.db.connect import Connection
from tests.builders import complete, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given

MODEL = {"kind": "model", "name": "llama", "units": 12, "seconds": 0.5, "finish_reason": "tool_calls"}
TOOL = {"kind": "tool", "name": "look_up", "seconds": 0.1, "argument_bytes": 7, "finish_reason": "ok"}


async def job_with_calls(conn: Connection) -> str:
    job = await running_job(conn)
    for call in (MODEL, TOOL):
        await conn.execute("select holdfast.save_call($1, $2, $3)", job.id, job.token, json.dumps(call))
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
