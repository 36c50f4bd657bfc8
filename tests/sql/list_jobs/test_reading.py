"""Reading jobs: many by filter and page, and what stands in a queue."""

from typing import Any

from holdfast.db.connect import Connection
from tests.builders import (
    an_open_run,
    dead_job,
    ready_job,
    ready_jobs,
    refusal,
    running_job,
    scheduled_job,
    to_json,
    waiting_job,
)

LIST = "select id from holdfast.list_jobs($1, $2, $3)"


async def test_filters_narrow_the_list(conn: Connection) -> None:
    run = await an_open_run(conn)
    dead = await dead_job(conn, queue="a", task="x")
    labelled = await ready_job(conn, queue="b", labels={"k": 1, "l": 2})
    in_run = await ready_job(conn, queue="a", run=run)
    for wanted, found in [
        ({}, {dead.id, labelled, in_run}),
        ({"state": "dead"}, {dead.id}),
        ({"queue": "a"}, {dead.id, in_run}),
        ({"task": "x"}, {dead.id}),
        ({"run": run}, {in_run}),
        ({"labels": {"k": 1}}, {labelled}),
        ({"labels": {"k": 2}}, set()),
        ({"queue": "a", "state": "ready"}, {in_run}),
    ]:
        rows = await conn.fetch(LIST, to_json(wanted), None, None)
        assert {row["id"] for row in rows} == found, wanted


async def test_pages_come_newest_first_and_miss_nothing(conn: Connection) -> None:
    made = await ready_jobs(conn, 25)
    seen = []
    before = None
    while rows := await conn.fetch(LIST, "{}", before, 10):
        seen += [row["id"] for row in rows]
        before = seen[-1]
    assert seen == sorted(made, reverse=True)


async def test_a_queue_shows_what_stands_in_it(conn: Connection) -> None:
    await running_job(conn, queue="q")
    await waiting_job(conn, queue="q")
    await scheduled_job(conn, queue="q")
    (row,) = await conn.fetch("select * from holdfast.queue_view where name = 'q'")
    counts = [row[name] for name in ("waiting", "scheduled", "ready", "running")]
    assert counts == [1, 1, 1, 1]
    assert row["oldest_ready"] is not None


async def test_a_filter_that_would_match_too_much_is_refused(conn: Connection) -> None:
    filters: list[Any] = [{"stat": "dead"}, {"run": "x"}, []]
    for wanted in filters:
        error = await refusal(conn, "select holdfast.list_jobs($1)", to_json(wanted))
        assert error.sqlstate == "HF002", wanted


async def test_a_unique_key_finds_its_jobs_live_and_ended(conn: Connection) -> None:
    ended = await dead_job(conn, task="x", unique_key="k")
    live = await ready_job(conn, task="x", unique_key="k", queue="b")
    scoped = await scheduled_job(conn, task="y", unique_key="k", unique_scope="s")
    await ready_job(conn, task="x", unique_key="other")
    await ready_job(conn, task="x")
    for wanted, found in [
        ({"unique_key": "k"}, [scoped, live, ended.id]),
        ({"unique_key": "k", "unique_scope": "x"}, [live, ended.id]),
        ({"unique_key": "k", "unique_scope": "s"}, [scoped]),
        ({"unique_key": "k", "state": "dead"}, [ended.id]),
        ({"unique_key": "k", "state": "ready"}, [live]),
        ({"unique_key": "k", "queue": "b"}, [live]),
        ({"unique_key": "none"}, []),
    ]:
        rows = await conn.fetch(LIST, to_json(wanted), None, None)
        assert [row["id"] for row in rows] == sorted(found, reverse=True), wanted
        counted = await conn.fetchval(
            "select holdfast.count_matching_jobs($1, array['ready', 'scheduled', 'dead'])", to_json(wanted)
        )
        assert counted == len(found) or "state" in wanted
    live_ones = await conn.fetch("select job_id from holdfast.find_jobs($1)", to_json({"unique_key": "k"}))
    assert [row["job_id"] for row in live_ones] == sorted([live, scoped])


async def test_a_unique_key_and_a_run_narrow_together(conn: Connection) -> None:
    run = await an_open_run(conn)
    mine = await ready_job(conn, task="x", unique_key="k", run=run)
    await ready_job(conn, task="y", unique_key="k")
    await ready_job(conn, task="z", run=run)
    wanted = to_json({"unique_key": "k", "run": run})
    assert [row["id"] for row in await conn.fetch(LIST, wanted, None, None)] == [mine]
    (found,) = await conn.fetch("select job_id from holdfast.find_jobs($1)", wanted)
    assert found["job_id"] == mine
