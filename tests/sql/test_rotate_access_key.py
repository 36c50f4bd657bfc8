from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import a_key, check, digest, trail
from tests.sql.conftest import Clock

ROTATE = "select holdfast.rotate_access_key('ci', $1, $2, 'leaked', 'Ada')"
INVALID = "HF007"


async def rotate(conn: Connection, secret: str, overlap: timedelta) -> None:
    await conn.execute(ROTATE, digest(secret), overlap)


async def test_both_secrets_work_until_the_overlap_is_over(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await rotate(conn, "two", timedelta(hours=1))
    assert [await check(conn, secret=one) for one in ("one", "two")] == ["producer", "producer"]
    await clock.advance(timedelta(hours=1))
    assert [await check(conn, secret=one) for one in ("one", "two")] == [INVALID, "producer"]
    assert (await trail(conn))[1] == ("rotate_access_key", "Ada", "leaked")


async def test_a_rotation_without_overlap_ends_every_earlier_secret(conn: Connection) -> None:
    await a_key(conn)
    await rotate(conn, "two", timedelta(days=30))
    await rotate(conn, "three", timedelta())
    checked = [await check(conn, secret=one) for one in ("one", "two", "three")]
    assert checked == [INVALID, INVALID, "producer"]
    assert await conn.fetchval("select secrets from holdfast.access_key_view") == 1


async def test_a_later_rotation_does_not_lengthen_an_earlier_overlap(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await rotate(conn, "two", timedelta(minutes=1))
    await rotate(conn, "three", timedelta(days=1))
    await clock.advance(timedelta(minutes=2))
    assert [await check(conn, secret=one) for one in ("one", "two")] == [INVALID, "producer"]


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=31), None])
async def test_an_overlap_beyond_its_bounds_is_refused(conn: Connection, overlap: timedelta | None) -> None:
    await a_key(conn)
    assert (await refusal(conn, ROTATE, digest("two"), overlap)).sqlstate == "HF002"


async def test_a_key_that_does_not_exist_is_not_found(conn: Connection) -> None:
    assert (await refusal(conn, ROTATE, digest("two"), timedelta())).sqlstate == "HF004"
