"""Samples of the depth of queues, for the tests of what stores and reads them."""

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_jobs, running_job, scheduled_job, waiting_job

SAMPLES = """
select queue, waiting, scheduled, ready, running, oldest_ready, began_at, sampled_at, minute
from holdfast.depth_samples
order by minute, queue
"""


async def sample(conn: Connection, within: str = "1 minute", chunk: int = 50_000) -> int | None:
    stored: int | None = await conn.fetchval(
        "select holdfast.sample_depths($1::text::interval, $2)", within, chunk
    )
    return stored


async def samples(conn: Connection) -> list[Record]:
    return await conn.fetch(SAMPLES)


async def counts(conn: Connection) -> dict[str, tuple[int, ...]]:
    return {
        row["queue"]: (row["waiting"], row["scheduled"], row["ready"], row["running"])
        for row in await samples(conn)
    }


async def some_jobs(conn: Connection) -> dict[str, tuple[int, ...]]:
    """Waiting, scheduled, ready and running jobs of two queues, in several lanes and priorities."""
    await running_job(conn, queue="mail")
    await ready_jobs(conn, 5, queue="mail")
    await ready_jobs(conn, 4, queue="mail", priority=90)
    await ready_jobs(conn, 3, queue="mail", priority=10, group="gpu")
    await scheduled_job(conn, queue="mail")
    await scheduled_job(conn, queue="mail", group="gpu")
    await waiting_job(conn, "key", queue="mail")  # and the head of its line, which is ready
    await ready_jobs(conn, 2, queue="chat", endpoint="model")
    await completed_job(conn, queue="done")  # which has no live job
    return {"mail": (1, 2, 13, 1), "chat": (0, 0, 2, 0)}
