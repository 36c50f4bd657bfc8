"""How much is left to do."""

from holdfast.db.connect import Connection
from tests.builders import complete, completed_job, running_job, scheduled_job, waiting_job


async def test_the_backlog_counts_what_is_left_to_do(conn: Connection) -> None:
    await waiting_job(conn, queue="q")  # and its head
    await scheduled_job(conn, queue="q")
    await completed_job(conn, queue="done")
    await running_job(conn, queue="r")
    for queues, count in [(["q"], 2), (["done"], 0), (["q", "r"], 3), ([], 0)]:
        assert await conn.fetchval("select holdfast.backlog($1)", queues) == count


async def test_it_is_zero_once_the_last_job_has_ended(conn: Connection) -> None:
    job = await running_job(conn, queue="q")
    assert await conn.fetchval("select holdfast.backlog(array['q', 'q'])") == 1
    await complete(conn, job)
    assert await conn.fetchval("select holdfast.backlog(array['q', 'q'])") == 0
