from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import LINK, a_key, a_link, check, digest, trail
from tests.sql.conftest import Clock

MINUTE = timedelta(minutes=1)


async def test_a_link_is_no_key(conn: Connection) -> None:
    await a_key(conn, "admin")
    await a_link(conn)
    assert await check(conn, secret="link") == "HF007"
    assert await conn.fetchval("select secrets from holdfast.access_key_view") == 1


async def test_a_link_is_an_event_of_the_audit_trail_without_its_hash(conn: Connection) -> None:
    await a_key(conn)
    before = await conn.fetchval("select holdfast.now()")
    until = await a_link(conn)
    assert (await trail(conn))[-1] == ("create_login_link", "Ada", "to look at it")
    detail = await conn.fetchval("select detail from holdfast.events where cause = 'create_login_link'")
    assert digest("link").hex() not in detail
    assert before < until - 10 * MINUTE < await conn.fetchval("select holdfast.now()")


async def test_a_link_ends_with_its_key(conn: Connection, clock: Clock) -> None:
    await a_key(conn, expires_in=MINUTE)
    assert await a_link(conn) == await conn.fetchval("select expires_at from holdfast.access_key_view")
    await clock.advance(MINUTE)
    assert (await refusal(conn, LINK, "ci", digest("late"), MINUTE)).sqlstate == "HF005"


async def test_a_key_that_does_not_exist_has_no_link(conn: Connection) -> None:
    assert (await refusal(conn, LINK, "ci", digest("link"), MINUTE)).sqlstate == "HF004"


@pytest.mark.parametrize("lifetime", [timedelta(), timedelta(hours=1, seconds=1), None])
async def test_a_link_lives_for_at_most_an_hour(conn: Connection, lifetime: timedelta | None) -> None:
    await a_key(conn)
    assert (await refusal(conn, LINK, "ci", digest("link"), lifetime)).sqlstate == "HF002"
