"""check_claimants: which claims may go on waiting, for many at once."""

from datetime import timedelta
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import a_key, a_link, a_session, digest
from tests.sql.conftest import Clock

CHECK = "select * from holdfast.check_claimants($1, $2)"


async def a_worker_of(conn: Connection, key: UUID) -> UUID:
    worker = uuid4()
    info = f'{{"access_key": "{key}"}}'
    await conn.execute("select holdfast.register_worker($1, array['default'], $2::text::jsonb)", worker, info)
    return worker


async def waiting(conn: Connection, *claimants: tuple[str, UUID]) -> list[int]:
    """The places of those that may go on, from 1."""
    hashes, workers = [digest(secret) for secret, _ in claimants], [worker for _, worker in claimants]
    return sorted([row[0] for row in await conn.fetch(CHECK, hashes, workers)])


async def test_a_claim_waits_for_a_worker_of_its_own_key(conn: Connection) -> None:
    mine = await a_worker_of(conn, await a_key(conn, "worker"))
    other = await a_worker_of(conn, await a_key(conn, "admin", "two", "other"))
    asked = [("one", mine), ("one", other), ("two", other), ("two", mine), ("one", uuid4()), ("one", mine)]
    assert await waiting(conn, *asked) == [1, 3, 6]
    assert await waiting(conn) == []


async def test_a_key_that_may_not_work_and_a_link_do_not_wait(conn: Connection) -> None:
    worker = await a_worker_of(conn, await a_key(conn, "producer"))
    other = await a_worker_of(conn, await a_key(conn, "worker", "two", "other"))
    await a_link(conn, "link", "other")
    assert await waiting(conn, ("one", worker), ("link", other), ("two", other)) == [3]


async def test_what_is_revoked_closed_or_expired_ends_for_itself_alone(
    conn: Connection, clock: Clock
) -> None:
    mine = await a_worker_of(conn, await a_key(conn, "worker"))
    other = await a_worker_of(conn, await a_key(conn, "worker", "two", "o", expires_in=timedelta(hours=1)))
    await a_session(conn, "session", lifetime=timedelta(minutes=5))
    asked = [("one", mine), ("session", mine), ("two", other)]
    assert await waiting(conn, *asked) == [1, 2, 3]
    await clock.advance(timedelta(minutes=10))
    assert await waiting(conn, *asked) == [1, 3]
    await conn.execute("select holdfast.revoke_access_key('ci', 'test', 'Ada')")
    assert await waiting(conn, *asked) == [3]
    await clock.advance(timedelta(hours=1))
    assert await waiting(conn, *asked) == []


async def test_a_use_of_the_key_is_noted_to_the_hour(conn: Connection, clock: Clock) -> None:
    worker = await a_worker_of(conn, await a_key(conn, "worker"))
    used = "select last_used_at from holdfast.access_keys"
    await waiting(conn, ("one", worker))
    first = await conn.fetchval(used)
    await clock.advance(timedelta(minutes=50))
    await waiting(conn, ("one", worker))
    assert await conn.fetchval(used) == first
    await clock.advance(timedelta(minutes=20))
    await waiting(conn, ("one", worker))
    assert await conn.fetchval(used) > first


async def test_lists_that_do_not_fit_are_refused(conn: Connection) -> None:
    for hashes, workers in ((1, 2), (1001, 1001)):
        error = await refusal(conn, CHECK, [digest("one")] * hashes, [uuid4()] * workers)
        assert error.sqlstate == "HF002"
