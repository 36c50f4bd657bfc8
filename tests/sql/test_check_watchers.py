"""check_watchers: who may go on watching, for many at once."""

from datetime import timedelta
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_job, refusal
from tests.sql.access_keys import a_key, a_link, a_session, digest
from tests.sql.conftest import Clock

CHECK = "select * from holdfast.check_watchers($1, $2)"


async def watching(conn: Connection, *watchers: tuple[str, UUID | None]) -> list[int]:
    """The places of those that may go on, from 1."""
    hashes, jobs = [digest(secret) for secret, _ in watchers], [job for _, job in watchers]
    return sorted([row[0] for row in await conn.fetch(CHECK, hashes, jobs)])


async def test_keys_and_sessions_go_on_and_others_do_not(conn: Connection) -> None:
    await a_key(conn, "viewer")
    await a_session(conn)
    await a_link(conn)
    await a_key(conn, "producer", "two", "shop")
    asked = [(secret, None) for secret in ("one", "session", "link", "two", "unknown", "one")]
    assert await watching(conn, *asked) == [1, 2, 6]
    assert await watching(conn) == []


async def test_what_is_revoked_closed_or_expired_ends_for_itself_alone(
    conn: Connection, clock: Clock
) -> None:
    await a_key(conn, "viewer")
    await a_session(conn, "first", lifetime=timedelta(minutes=5))
    await a_session(conn, "second")
    await a_key(conn, "viewer", "two", "other", expires_in=timedelta(hours=1))
    asked = [(secret, None) for secret in ("one", "first", "second", "two")]
    assert await watching(conn, *asked) == [1, 2, 3, 4]
    await clock.advance(timedelta(minutes=10))
    assert await watching(conn, *asked) == [1, 3, 4]
    await conn.execute("select holdfast.close_session($1)", digest("second"))
    assert await watching(conn, *asked) == [1, 4]
    await conn.execute("select holdfast.revoke_access_key('ci', 'test', 'Ada')")
    assert await watching(conn, *asked) == [4]
    await clock.advance(timedelta(hours=1))
    assert await watching(conn, *asked) == []


async def test_a_job_must_be_in_the_scope_of_its_watcher(conn: Connection) -> None:
    await a_key(conn, "viewer")
    await a_key(conn, "viewer", "two", "mail", queues=["mail"])
    await a_key(conn, "viewer", "three", "send", tasks=["send"])
    ended, gone = (await completed_job(conn, queue="mail", task="count")).id, uuid4()
    inside, outside = await ready_job(conn, queue="mail", task="send"), await ready_job(conn, queue="other")
    for secret, may in (
        ("one", [1, 2, 3, 4]),
        ("two", [1, 3]),
        ("three", [1]),
    ):
        asked = [(secret, job) for job in (inside, outside, ended, gone)]
        assert await watching(conn, *asked) == may, secret


async def test_a_use_of_the_key_is_noted_to_the_hour(conn: Connection, clock: Clock) -> None:
    await a_key(conn, "viewer")
    used = "select last_used_at from holdfast.access_keys"
    await watching(conn, ("one", None))
    first = await conn.fetchval(used)
    assert first is not None
    await clock.advance(timedelta(minutes=50))
    await watching(conn, ("one", None))
    assert await conn.fetchval(used) == first
    await clock.advance(timedelta(minutes=20))
    await watching(conn, ("one", None))
    assert await conn.fetchval(used) > first


async def test_lists_that_do_not_fit_are_refused(conn: Connection) -> None:
    for hashes, jobs in ((1, 2), (1001, 1001)):
        error = await refusal(conn, CHECK, [digest("one")] * hashes, [None] * jobs)
        assert error.sqlstate == "HF002"
