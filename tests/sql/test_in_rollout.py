"""in_rollout: the same key is always on the same side, and a larger part contains the smaller one."""

import hashlib

import pytest

from holdfast.db.connect import Connection

KEYS = 10_000
INSIDE = """
select array(select n from generate_series(1, $2::integer) as n where holdfast.in_rollout($1, n::text))
"""
ASK = "select holdfast.in_rollout($1, $2)"


async def set_percent(conn: Connection, name: str, percent: float) -> None:
    await conn.execute("select holdfast.set_rollout($1, $2::text::numeric)", name, str(percent))


async def keys_in(conn: Connection, name: str, percent: float) -> set[int]:
    await set_percent(conn, name, percent)
    return set(await conn.fetchval(INSIDE, name, KEYS))


def bucket(name: str, key: str) -> int:
    """As the reference describes it, for other languages."""
    return int.from_bytes(hashlib.sha256(name.encode() + b"\0" + key.encode()).digest()[:4], "big") % 10_000


async def test_twenty_percent_of_the_keys_are_in_and_all_of_them_stay_when_it_is_raised(
    conn: Connection,
) -> None:
    twenty, half = await keys_in(conn, "new", 20), await keys_in(conn, "new", 50)
    assert abs(len(twenty) - 0.2 * KEYS) <= 0.02 * KEYS
    assert abs(len(half) - 0.5 * KEYS) <= 0.02 * KEYS
    assert twenty < half
    assert len(await keys_in(conn, "new", 100)) == KEYS
    assert await keys_in(conn, "new", 0) == set()
    assert await keys_in(conn, "new", 20) == twenty, "back at 20 %, the same keys are in"


async def test_the_number_of_a_key_is_the_one_that_the_reference_describes(conn: Connection) -> None:
    for name, key in [("new", "42"), ("neue Queue ü", "Käse"), ("n", ""), ("a", "bc"), ("ab", "c")]:
        percent = (bucket(name, key) + 1) / 100
        await set_percent(conn, name, percent)
        assert await conn.fetchval(ASK, name, key) is True, (name, key)
        await set_percent(conn, name, round(percent - 0.01, 2))
        assert await conn.fetchval(ASK, name, key) is False, (name, key)


async def test_two_roll_outs_choose_their_keys_independently(conn: Connection) -> None:
    first, second = await keys_in(conn, "first", 20), await keys_in(conn, "second", 20)
    assert abs(len(first & second) - 0.04 * KEYS) <= 0.01 * KEYS


@pytest.mark.parametrize("key", ["42", None, ""])
async def test_an_unknown_roll_out_is_off_for_every_key(conn: Connection, key: str | None) -> None:
    assert await conn.fetchval(ASK, "never set", key) is False
    assert await conn.fetchval(ASK, None, key) is False


async def test_a_missing_key_is_in_a_roll_out_only_when_that_is_on(conn: Connection) -> None:
    for percent, inside in ((99.99, False), (100, True)):
        await set_percent(conn, "new", percent)
        assert await conn.fetchval(ASK, "new", None) is inside
