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
