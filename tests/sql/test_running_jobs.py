"""Running jobs, with the progress that they reported."""

import json
from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import complete, refusal, report, running_job
from tests.sql.conftest import Clock

RUNNING = "select * from holdfast.running_jobs($1, $2)"


async def test_the_longest_running_comes_first_with_its_progress_if_it_reported_one(
    conn: Connection, clock: Clock
) -> None:
    for task in ("first", "second", "ended", "silent"):
        job = await running_job(conn, task=task, queue=task)
        if task != "silent":
            assert await report(conn, job, done=3, total=10) == "stored"
        if task == "ended":
            assert await complete(conn, job)
        await clock.advance(timedelta(seconds=1))
    rows = await conn.fetch(RUNNING, 10, None)
    assert [row["task"] for row in rows] == ["first", "second", "silent"]
    assert rows[2]["progress"] is None
    progress = json.loads(rows[0]["progress"])
    assert (progress["done"], progress["total"], progress["eta"]) == (3, 10, None)
    assert [row["task"] for row in await conn.fetch(RUNNING, 1, None)] == ["first"]
    assert [row["task"] for row in await conn.fetch(RUNNING, 10, ["second"])] == ["second"]


async def test_a_negative_number_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, RUNNING, -1, None)).sqlstate == "HF002"
