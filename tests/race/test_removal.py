"""A lane, queue or endpoint is removed at the moment in which a producer uses it."""

import asyncio
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, ready_job
from tests.race.crowd import Crowd

EXPIRE = """
update holdfast.lanes set expires_at = holdfast.now() - interval '1 second';
update holdfast.queues set expires_at = holdfast.now() - interval '1 second';
update holdfast.endpoints set expires_at = holdfast.now() - interval '1 second';
"""
PRUNE = "select lanes, queues, endpoints from holdfast.prune_unused()"
# Jobs that no claim would find.
HOMELESS = """
select count(*) from holdfast.jobs as j
where not exists (
  select from holdfast.lanes as l
  join holdfast.queues as q on q.name = l.queue
  where l.lane = j.lane
    and (l.endpoint = '' or exists (select from holdfast.endpoints as e where e.name = l.endpoint)))
"""
ROUNDS = 20


@pytest.fixture
async def named(crowded: Crowd) -> Crowd:
    """No lane or queue is left from other races."""
    await crowded.watcher.execute("delete from holdfast.lanes; delete from holdfast.queues")
    return crowded


async def expired(conn: Connection, **where: str) -> None:
    """A lane with its queue and endpoint that nothing has used for thirty days."""
    await conn.execute("select holdfast.find_lane($1, $2, null)", where["queue"], where.get("endpoint"))
    await conn.execute(EXPIRE)


async def claimed_in_the_end(conn: Connection, queue: str) -> UUID:
    """By a worker that was there all the time, after one round of the maintenance task."""
    await conn.execute("select holdfast.mark_lanes()")
    worker = await a_worker(conn, [queue])
    return (await claim_one(conn, worker)).id


@pytest.mark.parametrize("endpoint", [None, "model"])
async def test_a_job_whose_lane_goes_while_it_is_enqueued_is_claimed(
    named: Crowd, endpoint: str | None
) -> None:
    producer, task = await named.join(), await named.join()
    options = {"queue": "q"} | ({"endpoint": endpoint} if endpoint else {})
    await expired(task, **options)
    transaction = producer.transaction()
    await transaction.start()
    job = await ready_job(producer, **options)
    removed = await task.fetchrow(PRUNE)
    assert tuple(removed or ()) == (1, 1, 1 if endpoint else 0)
    await transaction.commit()
    assert await claimed_in_the_end(task, "q") == job
    found = "select count(*) from holdfast.lanes where queue = 'q' and endpoint = $1"
    assert await task.fetchval(found, endpoint or "") == 1


async def test_a_lane_that_is_made_while_its_queue_and_endpoint_go_gets_them_back(named: Crowd) -> None:
    producer, task = await named.join(), await named.join()
    await expired(task, queue="q", endpoint="model")
    await task.execute("delete from holdfast.lanes where queue = 'q'")
    transaction = producer.transaction()
    await transaction.start()
    job = await ready_job(producer, queue="q", endpoint="model")
    removed = await task.fetchrow(PRUNE)
    assert tuple(removed or ()) == (0, 1, 1)
    await transaction.commit()
    assert await claimed_in_the_end(task, "q") == job


async def test_producers_and_the_maintenance_task_at_once_lose_no_job_and_none_fails(named: Crowd) -> None:
    producers = [await named.join() for _ in range(3)]
    task = await named.join()
    made: list[UUID] = []

    async def produce(conn: Connection, name: str) -> None:
        for round_ in range(ROUNDS):
            made.append(await ready_job(conn, queue=f"q {round_ % 4}", endpoint=f"e {round_ % 3}"))
            if round_ % 2:
                made.append(await ready_job(conn, queue=f"q {round_ % 4}", group=name))

    async def remove() -> None:
        for _ in range(ROUNDS):
            await task.execute(EXPIRE)
            await task.execute(PRUNE)

    await asyncio.gather(remove(), *(produce(conn, f"g {n}") for n, conn in enumerate(producers)))
    await task.execute("select holdfast.mark_lanes()")
    assert await task.fetchval(HOMELESS) == 0
    assert await task.fetchval("select count(*) from holdfast.jobs") == len(made) == 3 * ROUNDS * 3 // 2


async def test_the_maintenance_task_skips_rows_that_others_hold(named: Crowd) -> None:
    producer, task = await named.join(), await named.join()
    await expired(task, queue="q", endpoint="model")
    transaction = producer.transaction()
    await transaction.start()
    await producer.execute("select from holdfast.endpoints where name = 'model' for update")
    await producer.execute("select from holdfast.queues where name = 'q' for update")
    assert tuple(await task.fetchrow(PRUNE) or ()) == (1, 0, 0)
    await transaction.rollback()
    assert tuple(await task.fetchrow(PRUNE) or ()) == (0, 1, 1)
