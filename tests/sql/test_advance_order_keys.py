"""Lines whose head ended while a producer held their key are moved up later."""

import asyncio

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim_one, complete, ready_job, replay, state_of
from tests.machine.invariants import violations
from tests.patience import PATIENCE


async def test_an_end_does_not_wait_for_a_producer_that_holds_the_key(database_url: str) -> None:
    producer = await asyncpg.connect(database_url)
    other = await asyncpg.connect(database_url)
    head = await ready_job(other, order_key="k")
    worker = await a_worker(other)
    job = await claim_one(other, worker)
    held = producer.transaction()
    await held.start()
    following = await ready_job(producer, order_key="k")
    assert await asyncio.wait_for(complete(other, job), PATIENCE)
    await held.commit()
    assert [await state_of(other, one) for one in (head, following)] == ["completed", "waiting"]
    assert await other.fetchval("select holdfast.advance_order_keys()") == 1
    assert await state_of(other, following) == "ready"
    assert await other.fetchval("select count(*) from holdfast.order_releases") == 0
    await producer.close()
    await other.close()


async def test_a_head_that_is_replayed_before_its_line_moved_up_has_its_old_place(database_url: str) -> None:
    producer = await asyncpg.connect(database_url)
    other = await asyncpg.connect(database_url)
    head = await ready_job(other, order_key="k")
    worker = await a_worker(other)
    async with producer.transaction():
        following = await ready_job(producer, order_key="k")
        assert await complete(other, await claim_one(other, worker))
    assert await replay(other, head) == "replayed"
    await other.execute("select holdfast.advance_order_keys()")
    assert [await state_of(other, one) for one in (head, following)] == ["ready", "waiting"]
    places = "select id from holdfast.jobs where order_key = 'k' order by order_seq"
    assert [row["id"] for row in await other.fetch(places)] == [head, following]
    for expected in (head, following):
        job = await claim_one(other, worker)
        assert job.id == expected
        assert await complete(other, job)
    assert await violations(other) == []
    await producer.close()
    await other.close()


async def test_a_release_is_kept_while_the_producer_still_holds_the_key(database_url: str) -> None:
    producer = await asyncpg.connect(database_url)
    other = await asyncpg.connect(database_url)
    await ready_job(other, order_key="k")
    job = await claim_one(other, await a_worker(other))
    held = producer.transaction()
    await held.start()
    await ready_job(producer, order_key="k")
    await complete(other, job)
    assert await other.fetchval("select holdfast.advance_order_keys()") == 0
    await held.rollback()
    assert await other.fetchval("select holdfast.advance_order_keys()") == 0
    assert await other.fetchval("select count(*) from holdfast.order_keys") == 0
    assert await state_of(other, await ready_job(other, order_key="k")) == "ready"
    await producer.close()
    await other.close()


async def test_a_line_whose_head_still_stands_stays_as_it_is(conn: Connection) -> None:
    head, following = [await ready_job(conn, order_key="k") for _ in range(2)]
    await conn.execute("insert into holdfast.order_releases (key) values ('k'), ('gone')")
    assert await conn.fetchval("select holdfast.advance_order_keys()") == 0
    assert [await state_of(conn, job) for job in (head, following)] == ["ready", "waiting"]
    assert await conn.fetchval("select count(*) from holdfast.order_releases") == 0


async def test_a_call_looks_at_no_more_than_it_is_told(conn: Connection) -> None:
    await conn.execute(
        "insert into holdfast.order_releases (key) select 'k' || i from generate_series(1, 5) as i"
    )
    await conn.execute("select holdfast.advance_order_keys(2)")
    assert await conn.fetchval("select count(*) from holdfast.order_releases") == 3
