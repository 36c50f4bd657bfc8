"""What scheduled and waiting jobs wait for."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import fail, running_job, scheduled_job, waiting_job
from tests.stage_builders import job_that_waits

PARKED = "select * from holdfast.parked_jobs($1)"


async def test_each_cause_is_counted(conn: Connection) -> None:
    await scheduled_job(conn, timedelta(hours=2), queue="later")
    for queue in ("a", "b"):
        assert await fail(conn, await running_job(conn, queue=queue, retry={"delays": [90]}))
    await job_that_waits(conn)
    await waiting_job(conn, queue="ordered")
    row = await conn.fetchrow(PARKED, None)
    assert row is not None
    counts = ("retries", "for_signals", "for_children", "for_order", "for_budget", "is_partial")
    assert [row[name] for name in counts] == [2, 1, 0, 1, 0, False]
    due = await conn.fetch("select due_at from holdfast.jobs where state = 'scheduled' order by 1")
    assert row["next_due"] == due[0][0]
    some = await conn.fetchrow(PARKED, ["later", "absent"])
    assert some is not None
    assert [some[name] for name in counts] == [0, 0, 0, 0, 0, False]
    assert some["next_due"] == due[2][0]


async def test_more_than_ten_thousand_are_not_counted(conn: Connection) -> None:
    await conn.execute(
        "select holdfast.enqueue_jobs(array['task'], array_agg('{}'::json), '{\"delay\": 60}')"
        " from generate_series(1, 10001)"
    )
    assert await conn.fetchval("select is_partial from holdfast.parked_jobs()")


async def test_without_jobs_nothing_waits(conn: Connection) -> None:
    row = await conn.fetchrow(PARKED, None)
    assert row is not None
    assert (row["retries"], row["next_due"], row["is_partial"]) == (0, None, False)
