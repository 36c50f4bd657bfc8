"""What stands in a queue, counted to a cap."""

from holdfast.db import queues
from holdfast.db.connect import Connection
from holdfast.model.queue import MOST_COUNTED, QueueSummary
from tests.builders import a_queue, ready_job, ready_jobs, running_job, scheduled_job, waiting_job
from tests.sql.list_jobs.test_listing import MANY_LIVE


async def counts(conn: Connection, name: str = "q") -> QueueSummary:
    return {queue.name: queue for queue in await queues.list_queues(conn, 100)}[name]


async def test_each_state_is_counted_over_all_lanes_of_a_queue(conn: Connection) -> None:
    await running_job(conn, queue="q")
    await ready_jobs(conn, 2, queue="q")
    await ready_job(conn, queue="q", group="gpu")
    await scheduled_job(conn, queue="q")
    await waiting_job(conn, queue="q")
    await ready_job(conn, queue="other")
    found = await counts(conn)
    assert (found.waiting, found.scheduled, found.ready, found.running) == (1, 1, 4, 1)
    assert await conn.fetchval("select holdfast.backlog(array['q', 'q', 'none'])") == 6


async def test_a_queue_without_jobs_has_zeros(conn: Connection) -> None:
    await a_queue(conn, "q")
    found = await counts(conn)
    assert (found.waiting, found.scheduled, found.ready, found.running) == (0, 0, 0, 0)
    assert found.oldest_ready is None


async def test_counting_stops_at_ten_thousand_but_the_oldest_is_found(conn: Connection) -> None:
    await conn.execute(MANY_LIVE, "q", MOST_COUNTED + 5)
    await ready_job(conn, queue="q", priority=3)
    await conn.execute("update holdfast.jobs set rank_at = now() - interval '1 day' where priority = 3")
    found = await counts(conn)
    assert found.ready == MOST_COUNTED
    assert found.oldest_ready == await conn.fetchval("select min(rank_at) from holdfast.jobs")


async def test_with_ageing_the_oldest_is_by_time_not_by_rank(conn: Connection) -> None:
    await a_queue(conn, "q", ageing=1)
    first = await ready_job(conn, queue="q", priority=1)
    await ready_job(conn, queue="q", priority=99)
    oldest = (await counts(conn)).oldest_ready
    assert oldest == await conn.fetchval("select ready_at from holdfast.job_view where id = $1", first)
