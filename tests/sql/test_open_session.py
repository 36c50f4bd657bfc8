"""open_session: what opens a session, and that it never outlives its key or the secret that opened it."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import OPEN, a_key, a_link, a_session, check, digest, trail
from tests.sql.conftest import Clock

INVALID = "HF007"
HOUR = timedelta(hours=1)
ROTATE = "select holdfast.rotate_access_key('ci', $1, $2)"


async def refused(conn: Connection, by: str) -> str | None:
    """The SQLSTATE with which this secret opens no session."""
    return (await refusal(conn, OPEN, digest(by), digest("another"), HOUR)).sqlstate


async def test_a_session_has_the_rights_of_its_key_until_its_time_is_over(
    conn: Connection, clock: Clock
) -> None:
    await a_key(conn, "operator", queues=["mail"])
    opened = await a_session(conn, lifetime=HOUR)
    assert (opened["name"], opened["role"], opened["lasts"]) == ("ci", "operator", HOUR)
    stored = "select created_at + $2 from holdfast.access_secrets where hash = $1"
    assert opened["expires_at"] == await conn.fetchval(stored, digest("session"), HOUR)
    assert await check(conn, "operate_queue", "session", queues=["mail"]) == "operator"
    assert await check(conn, "operate_queue", "session", queues=["other"]) == "HF008"
    await clock.advance(HOUR)
    assert await check(conn, "operate_queue", "session", queues=["mail"]) == INVALID


async def test_a_session_lasts_12_hours_unless_the_caller_says_otherwise(conn: Connection) -> None:
    await a_key(conn)
    opened = "select lasts from holdfast.open_session($1, $2)"
    assert await conn.fetchval(opened, digest("one"), digest("session")) == timedelta(hours=12)


@pytest.mark.parametrize("secret", ["other", "session"])
async def test_neither_an_unknown_secret_nor_a_session_opens_a_session(conn: Connection, secret: str) -> None:
    await a_key(conn)
    await a_session(conn)
    assert await refused(conn, secret) == INVALID


async def test_a_key_that_is_over_opens_no_session(conn: Connection, clock: Clock) -> None:
    await a_key(conn, expires_in=HOUR)
    await a_key(conn, secret="revoked", name="revoked")
    await conn.execute("select holdfast.revoke_access_key('revoked')")
    await clock.advance(HOUR)
    assert [await refused(conn, one) for one in ("one", "revoked")] == [INVALID, INVALID]


async def test_a_session_ends_with_its_key(conn: Connection, clock: Clock) -> None:
    await a_key(conn, expires_in=HOUR)
    ends = await conn.fetchval("select expires_at from holdfast.access_key_view")
    assert (await a_session(conn))["expires_at"] == ends
    await a_key(conn, secret="two", name="revoked")
    await a_session(conn, "other", by="two")
    await conn.execute("select holdfast.revoke_access_key('revoked')")
    assert [await check(conn, secret=one) for one in ("session", "other")] == ["producer", INVALID]
    await clock.advance(HOUR)
    assert await check(conn, secret="session") == INVALID


async def test_a_session_ends_with_the_overlap_of_the_secret_that_opened_it(
    conn: Connection, clock: Clock
) -> None:
    await a_key(conn)
    await a_session(conn, "before")
    until = await conn.fetchval(ROTATE, digest("two"), HOUR)
    assert (await a_session(conn, "after", by="one"))["expires_at"] == until
    assert (await a_session(conn, "new", by="two"))["lasts"] == timedelta(hours=12)
    await clock.advance(HOUR)
    found = [await check(conn, secret=one) for one in ("before", "after", "new")]
    assert found == [INVALID, INVALID, "producer"]


async def test_a_rotation_does_not_prolong_a_session(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await a_session(conn, lifetime=HOUR)
    await conn.execute(ROTATE, digest("two"), timedelta(days=30))
    await clock.advance(HOUR)
    assert [await check(conn, secret=one) for one in ("one", "session")] == ["producer", INVALID]


async def test_a_link_opens_one_session_which_outlives_the_link(conn: Connection, clock: Clock) -> None:
    await a_key(conn, expires_in=timedelta(hours=3))
    await a_link(conn)
    assert (await a_session(conn, by="link", lifetime=2 * HOUR))["lasts"] == 2 * HOUR
    assert await refused(conn, "link") == INVALID
    await clock.advance(HOUR)
    assert await check(conn, secret="session") == "producer"


async def test_a_link_that_is_over_opens_no_session(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await a_link(conn)
    await a_link(conn, "rotated")
    await conn.execute(ROTATE, digest("two"), HOUR)
    assert await refused(conn, "rotated") == INVALID, "its session would outlive the overlap"
    await a_link(conn, "late")
    await clock.advance(timedelta(minutes=10))
    assert await refused(conn, "late") == INVALID


async def test_an_open_session_is_no_event_of_the_audit_trail_nor_a_secret_of_the_key(
    conn: Connection,
) -> None:
    await a_key(conn)
    await a_session(conn)
    assert [cause for cause, *_ in await trail(conn)] == ["create_access_key"]
    assert await conn.fetchval("select secrets from holdfast.access_key_view") == 1


async def test_beyond_1000_sessions_of_a_key_its_oldest_one_is_closed(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await a_key(conn, secret="other key", name="other")
    await a_session(conn, "of another key", by="other key")
    for count in range(1000):
        await a_session(conn, f"session {count}")
        await clock.advance(timedelta(milliseconds=1))
    assert await check(conn, secret="session 0") == "producer"
    await a_session(conn, "session 1000")
    checked = [f"session {count}" for count in (0, 1, 1000)]
    assert [await check(conn, secret=one) for one in checked] == [INVALID, "producer", "producer"]
    assert [await check(conn, secret=one) for one in ("one", "of another key")] == ["producer"] * 2


@pytest.mark.parametrize("lifetime", [timedelta(), timedelta(days=31), None])
async def test_a_lifetime_beyond_its_bounds_is_refused(conn: Connection, lifetime: timedelta | None) -> None:
    await a_key(conn)
    assert (await refusal(conn, OPEN, digest("one"), digest("x"), lifetime)).sqlstate == "HF002"


@pytest.mark.parametrize(("session", "state"), [(b"short", "HF002"), (digest("one"), "HF005")])
async def test_a_session_needs_a_hash_of_its_own(conn: Connection, session: bytes, state: str) -> None:
    await a_key(conn)
    assert (await refusal(conn, OPEN, digest("one"), session, HOUR)).sqlstate == state
