"""An operator asks workers to finish and leave."""

from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, expire_worker, ready_job, refusal, renew

DRAIN = "select d from holdfast.drain_workers($1, $2, $3, 'Ada') as d"


async def test_a_worker_hears_it_at_its_next_renewal(conn: Connection) -> None:
    worker, other = await a_worker(conn), await a_worker(conn)
    assert [row["d"] for row in await conn.fetch(DRAIN, [worker], None, "new version")] == [worker]
    assert (await renew(conn, worker))["drain"] is True
    assert (await renew(conn, other))["drain"] is False
    (event,) = await conn.fetch("select * from holdfast.event_view where cause = 'drain'")
    assert (event["actor"], event["reason"]) == ("Ada", "new version")


async def test_a_whole_group_is_asked_and_nobody_else(conn: Connection) -> None:
    members = {await a_worker(conn, group="gpu") for _ in range(3)}
    await a_worker(conn)
    assert {row["d"] for row in await conn.fetch(DRAIN, None, "gpu", "new cards")} == members
    assert await conn.fetch(DRAIN, None, "gpu", "again") == [], "they were asked already"


async def test_the_lost_the_stopped_and_the_unknown_are_left_alone(conn: Connection) -> None:
    lost, stopped = await a_worker(conn), await a_worker(conn)
    await expire_worker(conn, lost)
    await conn.execute("select holdfast.stop_worker($1)", stopped)
    assert await conn.fetch(DRAIN, [lost, stopped, uuid4()], None, "all of you") == []


async def test_a_worker_that_drains_may_still_finish(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    assert len(await claim(conn, worker)) == 1
    await conn.execute(DRAIN, [worker], None, "new version")
    assert await conn.fetchval("select count(*) from holdfast.held_jobs($1)", worker) == 1


async def test_it_takes_a_reason_and_either_ids_or_a_group(conn: Connection) -> None:
    worker = await a_worker(conn)
    for given in (([worker], None, ""), ([worker], "gpu", "why"), (None, None, "why")):
        assert (await refusal(conn, DRAIN, *given)).sqlstate == "HF002", given
