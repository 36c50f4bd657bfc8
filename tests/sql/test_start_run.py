"""A run is open for jobs until it is sealed."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import an_open_run, ready_job, ready_jobs, refusal, the_job, the_run, to_json

START = "select holdfast.start_run($1, $2)"


async def test_jobs_join_a_run_until_it_is_sealed(conn: Connection) -> None:
    run = await an_open_run(conn, "import", labels={"a": 1})
    for job in await ready_jobs(conn, 3, run=run):
        assert (await the_job(conn, job))["run"] == run
    row = await the_run(conn, run)
    assert (row["name"], row["state"], row["total"], row["labels"]) == ("import", "open", 3, '{"a": 1}')
    await conn.execute("select holdfast.seal_run($1)", run)
    enqueue = "select holdfast.enqueue('t', run => $1)"
    assert (await refusal(conn, enqueue, run)).sqlstate == "HF005"


async def test_jobs_of_one_call_may_join_different_runs(conn: Connection) -> None:
    a, b = await an_open_run(conn), await an_open_run(conn)
    each = [to_json({"run": a}), to_json({"run": b}), None, to_json({"run": a})]
    await conn.execute(
        "select holdfast.enqueue_jobs(array['t'], $1::json[], '{}', $2::jsonb[])", ["1"] * 4, each
    )
    assert [(await the_run(conn, run))["total"] for run in (a, b)] == [2, 1]


async def test_a_job_that_exists_already_is_not_counted(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_job(conn, unique_key="k", run=run)
    await ready_job(conn, unique_key="k", run=run)
    assert (await the_run(conn, run))["total"] == 1


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (None, {}),
        ("", {}),
        ("n" * 201, {}),
        ("r", {"no_such": 1}),
        ("r", {"on_complete": {}}),
        ("r", {"on_complete": {"task": ""}}),
        ("r", {"on_complete": "after"}),
        ("r", {"on_complete": {"task": "t", "no_such": 1}}),
        ("r", {"on_complete": {"task": "t", "priority": 500}}),
        ("r", {"on_complete": {"task": "t", "timeout": -1}}),
        ("r", {"on_complete": {"task": "t", "queue": ""}}),
        ("r", {"on_complete": {"task": "t", "retry": "no-such"}}),
    ],
)
async def test_a_run_that_could_not_end_is_refused_at_its_start(
    conn: Connection, name: str | None, options: dict[str, Any]
) -> None:
    assert (await refusal(conn, START, name, to_json(options))).sqlstate == "HF002"


async def test_a_run_that_does_not_exist_is_not_found(conn: Connection) -> None:
    for verb in ("seal_run", "cancel_run", "replay_run"):
        assert (await refusal(conn, f"select holdfast.{verb}($1)", uuid4())).sqlstate == "HF004"
