"""Many jobs with an array per option; tests/sql/enqueue_jobs/test_ways.py compares it with the other ways."""

import json
from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import an_open_run, refusal, the_job
from tests.stage_builders import a_pipeline

ENQUEUE = (
    "select job_id, created from holdfast.enqueue_columns(array['t'], array['1', '2', '3']::json[], $1, {})"
)


async def test_an_array_holds_an_option_of_each_job(conn: Connection) -> None:
    run = await an_open_run(conn)
    rows = await conn.fetch(
        ENQUEUE.format(
            "queue => array['a', 'b', null], priority => array[1, null, 3],"
            " run => array[null, $2::uuid, null], timeout => array[1.5, null, 60],"
            " retry => array['\"posts\"', null, '[1]']::jsonb[]"
        ),
        '{"priority": 9, "max_failures": 4}',
        run,
    )
    jobs = [await the_job(conn, row["job_id"]) for row in rows]
    assert [job["queue"] for job in jobs] == ["a", "b", "default"]
    assert [job["priority"] for job in jobs] == [1, 50, 3], "the array replaces the option for all"
    assert [job["run"] for job in jobs] == [None, run, None]
    assert [job["timeout"] for job in jobs] == [timedelta(seconds=1.5), None, timedelta(seconds=60)]
    assert [job["retry"] and json.loads(job["retry"]) for job in jobs][2] == {"delays": [1]}
    assert {job["max_failures"] for job in jobs} == {4}


async def test_an_array_of_another_length_is_refused(conn: Connection) -> None:
    error = await refusal(conn, ENQUEUE.format("priority => array[1, 2]"), "{}")
    assert error.sqlstate == "HF002"
    assert (
        error.message == "The arrays must have the same length (got 3 payloads, but 2 elements in priority)."
    )


async def test_a_refusal_names_the_job_at_fault(conn: Connection) -> None:
    error = await refusal(conn, ENQUEUE.format("priority => array[1, 2, 500]"), "{}")
    assert error.sqlstate == "HF002"
    assert "index 2" in error.message
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0


async def test_the_stage_of_a_pipeline_decides_where_its_jobs_stand(conn: Connection) -> None:
    await a_pipeline(conn, "p", ["one", "two"])
    rows = await conn.fetch(
        ENQUEUE.format("queue => array['a', 'b', 'c'], priority => array[1, 2, 3]"), '{"pipeline": "p"}'
    )
    jobs = [await the_job(conn, row["job_id"]) for row in rows]
    assert [(job["queue"], job["stage"], job["priority"]) for job in jobs] == [
        ("p.one", "one", 1),
        ("p.one", "one", 2),
        ("p.one", "one", 3),
    ]


async def test_no_payloads_make_no_jobs(conn: Connection) -> None:
    none = "select * from holdfast.enqueue_columns(array['t'], '{}', priority => array[1])"
    assert await conn.fetch(none) == []


async def test_an_array_that_does_not_start_at_one_belongs_to_the_same_jobs(conn: Connection) -> None:
    rows = await conn.fetch(
        "select job_id from holdfast.enqueue_columns('[0:1]={t,u}'::text[], '[0:1]={1,2}'::json[], '{}',"
        " priority => '[5:6]={7,8}'::integer[], unique_key => '{{a},{b}}'::text[],"
        " order_key => '[-1:0]={k,l}'::text[])"
    )
    jobs = [await the_job(conn, row["job_id"]) for row in rows]
    assert [
        (job["task"], job["payload"], job["priority"], job["unique_key"], job["order_key"]) for job in jobs
    ] == [("t", "1", 7, "a", "k"), ("u", "2", 8, "b", "l")]


async def test_a_json_null_is_no_label(conn: Connection) -> None:
    rows = await conn.fetch(
        ENQUEUE.format("labels => array['null', '{\"a\": 1}', null]::jsonb[]"), '{"labels": {"b": 2}}'
    )
    jobs = [await the_job(conn, row["job_id"]) for row in rows]
    assert [job["labels"] for job in jobs] == [None, '{"a": 1}', None]
