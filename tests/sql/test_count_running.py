"""How many jobs of each queue run."""

from holdfast.db.connect import Connection
from tests.builders import complete, ready_job, release, running_job, scheduled_job


async def running(conn: Connection) -> dict[str, int]:
    rows = await conn.fetch("select * from holdfast.count_running()")
    return {row["queue"]: row["jobs"] for row in rows}


async def test_only_running_jobs_count_each_in_its_queue(conn: Connection) -> None:
    for queue in ("a", "a", "b"):
        await running_job(conn, queue=queue)
    await ready_job(conn, queue="a")
    await scheduled_job(conn, queue="c")
    assert await running(conn) == {"a": 2, "b": 1}


async def test_what_ended_or_was_given_back_counts_no_more(conn: Connection) -> None:
    done, returned = await running_job(conn, queue="a"), await running_job(conn, queue="b")
    await complete(conn, done)
    await release(conn, returned)
    assert await running(conn) == {}
