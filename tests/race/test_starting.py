"""A worker that starts while a producer's open transaction is naming its queue."""

import asyncio
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, ready_job
from tests.patience import PATIENCE
from tests.race.crowd import Crowd


@pytest.mark.parametrize("commit", [True, False])
async def test_a_registration_does_not_wait_for_a_producer_and_its_claims_find_the_new_lane(
    crowd: Crowd, commit: bool
) -> None:
    queue, worker = f"new {uuid4()}", uuid4()
    producer, starting = await crowd.join(), await crowd.join()
    transaction = producer.transaction()
    await transaction.start()
    job = await ready_job(producer, queue=queue)
    async with asyncio.timeout(PATIENCE):
        await a_worker(starting, ["default", queue], worker=worker)
        assert await claim(starting, worker, 1) == []
    await (transaction.commit() if commit else transaction.rollback())
    assert await claimed(starting, worker) == ([job] if commit else [])
    later = await ready_job(producer, queue=queue)
    assert await claimed(starting, worker) == [later]


async def claimed(conn: Connection, worker: UUID) -> list[UUID]:
    return [job.id for job in await claim(conn, worker, 1)]
