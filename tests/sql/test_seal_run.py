"""open -> sealed: no more jobs, and the run can end."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    an_open_run,
    claim,
    complete,
    is_waiting,
    ready_job,
    ready_jobs,
    refusal,
    the_run,
)
from tests.patience import PATIENCE

SEAL = "select holdfast.seal_run($1)"


async def test_a_sealed_run_takes_no_more_jobs_and_keeps_the_time_of_its_first_seal(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_job(conn, run=run)
    assert await conn.fetchval(SEAL, run) is False
    first = await the_run(conn, run)
    assert (first["state"], first["total"]) == ("sealed", 1)
    assert await conn.fetchval(SEAL, run) is False
    assert (await the_run(conn, run))["sealed_at"] == first["sealed_at"]
    enqueue = (
        "select holdfast.enqueue_jobs(array['task'], array['{}'::json], jsonb_build_object('run', $1::uuid))"
    )
    assert (await refusal(conn, enqueue, run)).sqlstate == "HF005"


async def test_a_run_that_does_not_exist_cannot_be_sealed(conn: Connection) -> None:
    assert (await refusal(conn, SEAL, uuid4())).sqlstate == "HF004"


async def test_an_empty_run_ends_when_it_is_sealed(conn: Connection) -> None:
    run = await an_open_run(conn, on_complete={"task": "after"})
    assert await conn.fetchval(SEAL, run) is True
    assert await conn.fetchval(SEAL, run) is False
    assert await conn.fetchval("select count(*) from holdfast.jobs where task = 'after'") == 1


async def test_a_seal_waits_for_a_producer_that_is_still_adding(database_url: str) -> None:
    producer, sealer = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    run = await an_open_run(sealer, on_complete={"task": "after"})
    transaction = producer.transaction()
    await transaction.start()
    await ready_jobs(producer, 2, run=run)
    sealing = asyncio.create_task(sealer.fetchval(SEAL, run))
    await is_waiting(database_url, sealer, sealing)
    await transaction.commit()
    assert await asyncio.wait_for(sealing, PATIENCE) is False
    assert (await the_run(sealer, run))["total"] == 2
    for job in await claim(sealer, await a_worker(sealer), 5):
        await complete(sealer, job)
    assert await sealer.fetchval("select holdfast.close_runs()") == 1
    for conn in (producer, sealer):
        await conn.close()


async def test_a_producer_that_comes_after_the_seal_is_refused(database_url: str) -> None:
    producer, sealer = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    run = await an_open_run(sealer)
    transaction = sealer.transaction()
    await transaction.start()
    await sealer.execute(SEAL, run)
    adding = asyncio.create_task(ready_job(producer, run=run))
    await is_waiting(database_url, producer, adding)
    await transaction.commit()
    with pytest.raises(asyncpg.PostgresError) as caught:
        await asyncio.wait_for(adding, PATIENCE)
    assert caught.value.sqlstate == "HF005"
    assert (await the_run(sealer, run))["total"] == 0
    await producer.close()
    await sealer.close()
