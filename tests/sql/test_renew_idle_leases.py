"""renew_idle_leases: many workers without jobs at once, and which of them are left to their own calls."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import claim_one, ready_jobs
from tests.sql.access_keys import a_key, digest
from tests.sql.conftest import Clock
from tests.sql.test_check_claimants import a_worker_of

RENEW = "select * from holdfast.renew_idle_leases($1, $2)"
ALONE = "select lease_until, drain, flags from holdfast.renew_lease($1)"


async def renewed(conn: Connection, *claimants: tuple[str, UUID]) -> list[tuple[Any, ...]]:
    hashes, workers = [digest(secret) for secret, _ in claimants], [worker for _, worker in claimants]
    return sorted(tuple(row) for row in await conn.fetch(RENEW, hashes, workers))


async def test_an_idle_worker_gets_what_renew_lease_gives_it(conn: Connection, clock: Clock) -> None:
    key = await a_key(conn, "worker")
    first, second = await a_worker_of(conn, key), await a_worker_of(conn, key)
    await clock.advance(timedelta(seconds=20))
    await conn.execute("select holdfast.set_flag('slots', '4')")
    (_, until, *rest), same = await renewed(conn, ("one", first), ("one", second))
    assert until > await clock.now()
    assert same[2:] == tuple(rest)
    (alone,) = await conn.fetch(ALONE, first)
    assert [*alone][1:] == rest
    await clock.advance(timedelta(seconds=20))
    assert await conn.fetchval("select bool_and(holdfast.has_lease(id)) from holdfast.workers")


async def test_a_worker_with_jobs_stopped_rescued_or_of_another_key_is_left_out(
    conn: Connection, clock: Clock
) -> None:
    key = await a_key(conn, "worker")
    await a_key(conn, "worker", "two", "other")
    idle, busy, stopped, gone = [await a_worker_of(conn, key) for _ in range(4)]
    await ready_jobs(conn, 1)
    await claim_one(conn, busy)
    await conn.execute("select holdfast.stop_worker($1)", stopped)
    await conn.execute("update holdfast.workers set rescued_at = holdfast.now() where id = $1", gone)
    asked = [("one", one) for one in (stopped, busy, idle, gone, uuid4())]
    assert [place for place, *_ in await renewed(conn, *asked, ("two", idle), ("one", idle))] == [3, 7]
    await conn.execute("select holdfast.revoke_access_key('ci', 'test', 'Ada')")
    assert await renewed(conn, *asked) == []


async def test_a_worker_that_was_asked_to_drain_learns_of_it(conn: Connection) -> None:
    worker = await a_worker_of(conn, await a_key(conn, "worker"))
    await conn.execute("select holdfast.drain_workers(array[$1::uuid], null, 'a new version', 'Ada')", worker)
    ((_, _, drain, _),) = await renewed(conn, ("one", worker))
    assert drain is True
