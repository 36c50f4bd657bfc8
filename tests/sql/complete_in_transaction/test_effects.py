"""The handler's own writes and the end of its job commit together, or not at all."""

from uuid import uuid4

import asyncpg
import pytest

from tests.builders import a_worker, claim_one, expire_worker, ready_job, rescue, running_job, state_of

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
