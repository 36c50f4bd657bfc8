"""The handler's own writes and the end of its job commit together, or not at all."""

import asyncio
from uuid import uuid4

import asyncpg
import pytest
from asyncpg import Connection, Record

from tests.builders import (
    a_worker,
    cancel,
    claim_one,
    expire_worker,
    ready_job,
    rescue,
    running_job,
    state_of,
)
from tests.patience import PATIENCE

COMPLETE = "select holdfast.complete_in_transaction($1, $2, '42')"


async def test_effect_and_end_commit_together(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await conn.execute("create table effects (n integer)")
    job = await running_job(conn)
    async with conn.transaction():
        await conn.execute("insert into effects values (1)")
        await conn.execute(COMPLETE, job.id, job.token)
    assert await conn.fetchval("select count(*) from effects") == 1
    assert await state_of(conn, job.id) == "completed"
    await conn.close()


async def test_what_is_done_in_spite_of_a_request_to_cancel_is_completed_with_its_effect(
    conn: "Connection[Record]",
) -> None:
    """As cancelled, its writes would stand without its completion."""
    job = await running_job(conn)
    assert await cancel(conn, job.id) == "asked"
    await conn.execute(COMPLETE, job.id, job.token)
    assert await state_of(conn, job.id) == "completed"


async def test_a_lost_job_undoes_the_effect(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await conn.execute("create table effects (n integer)")
    job = await running_job(conn)
    await expire_worker(conn, job.worker)
    await rescue(conn)
    transaction = conn.transaction()
    await transaction.start()
    await conn.execute("insert into effects values (1)")
    with pytest.raises(asyncpg.PostgresError) as caught:
        await conn.execute(COMPLETE, job.id, job.token)
    assert caught.value.sqlstate == "HF006"
    await transaction.rollback()
    assert await conn.fetchval("select count(*) from effects") == 0
    assert await state_of(conn, job.id) == "ready"
    await conn.close()


async def test_a_rolled_back_end_leaves_the_job_running(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await ready_job(conn)
    job = await claim_one(conn, await a_worker(conn))
    transaction = conn.transaction()
    await transaction.start()
    await conn.execute(COMPLETE, job.id, job.token)
    await transaction.rollback()
    assert await state_of(conn, job.id) == "running"
    with pytest.raises(asyncpg.PostgresError) as caught:
        await conn.execute(COMPLETE, job.id, uuid4())
    assert caught.value.sqlstate == "HF006"
    await conn.close()


async def test_a_host_that_dies_before_its_commit_holds_the_job_no_longer_than_a_lease(
    database_url: str,
) -> None:
    """Its connection stays open, as that of a host without power does until TCP notices."""
    dying, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    job = await running_job(dying)
    await dying.execute("update holdfast.workers set lease = '1s', lease_until = now() + '1s'")
    await dying.execute("begin")
    await dying.execute(COMPLETE, job.id, job.token)
    async with asyncio.timeout(PATIENCE):
        while (await rescue(other))["recovered"] == 0:
            await asyncio.sleep(0.1)
    assert await state_of(other, job.id) == "ready"
    dying.terminate()
    await other.close()


@pytest.mark.parametrize(("asked", "found"), [("0", "30s"), ("5s", "5s"), ("10min", "30s")])
async def test_a_shorter_patience_of_the_session_stays(
    conn: "Connection[Record]", asked: str, found: str
) -> None:
    job = await running_job(conn)
    await conn.execute(f"set local idle_in_transaction_session_timeout = '{asked}'")
    await conn.execute(COMPLETE, job.id, job.token)
    assert await conn.fetchval("show idle_in_transaction_session_timeout") == found
