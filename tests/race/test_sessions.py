"""Sessions that are opened while another uses their link, or rotates or revokes their key."""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.race.crowd import Crowd
from tests.sql.access_keys import a_key, a_link, a_session, check, digest

CALLERS = 10
INVALID = "HF007"
HOUR = timedelta(hours=1)
KINDS = "select kind, count(*) from holdfast.access_secrets group by kind order by kind"


@pytest.fixture(autouse=True)
async def _without_keys(crowd: Crowd) -> None:
    await crowd.watcher.execute("delete from holdfast.access_keys; delete from holdfast.access_secrets")


async def opened(conn: Connection, secret: str, by: str) -> str:
    """The name of the session's key, or the SQLSTATE with which the secret is refused."""
    try:
        return str((await a_session(conn, secret, by))["name"])
    except asyncpg.PostgresError as exc:
        return exc.sqlstate or ""


async def kinds(conn: Connection) -> dict[str, int]:
    return {row["kind"]: row["count"] for row in await conn.fetch(KINDS)}


async def test_of_many_who_use_a_link_at_once_exactly_one_has_a_session(crowd: Crowd) -> None:
    await a_key(crowd.watcher)
    conns = [await crowd.join() for _ in range(CALLERS)]
    for turn in range(5):
        link = f"link {turn}"
        await a_link(crowd.watcher, link)
        names = [f"{turn} {place}" for place in range(CALLERS)]
        said = await asyncio.gather(*(opened(c, n, link) for c, n in zip(conns, names, strict=True)))
        assert sorted(said) == [INVALID] * (CALLERS - 1) + ["ci"]
        valid = [name for name in names if await check(crowd.watcher, secret=name) == "producer"]
        assert valid == [names[said.index("ci")]]
    assert await kinds(crowd.watcher) == {"key": 1, "session": 5}


@pytest.mark.parametrize("commit", [True, False])
async def test_a_second_use_of_a_link_waits_for_the_first_to_end(crowd: Crowd, commit: bool) -> None:
    await a_key(crowd.watcher)
    await a_link(crowd.watcher)
    said = await crowd.interleave(
        lambda conn: opened(conn, "first", "link"), lambda conn: opened(conn, "second", "link"), commit=commit
    )
    assert said == ("ci", INVALID if commit else "ci")
    assert await kinds(crowd.watcher) == {"key": 1, "session": 1}


async def test_a_session_that_is_opened_during_a_rotation_ends_with_the_overlap(crowd: Crowd) -> None:
    await a_key(crowd.watcher)

    async def rotate(conn: Connection) -> str:
        await conn.execute("select holdfast.rotate_access_key('ci', $1, $2)", digest("two"), HOUR)
        return "rotated"

    said = await crowd.interleave(rotate, lambda conn: opened(conn, "session", "one"), commit=True)
    assert said == ("rotated", "ci")
    ends = "select expires_at from holdfast.access_secrets where hash = any ($1)"
    rows = await crowd.watcher.fetch(ends, [digest("one"), digest("session")])
    assert len({row["expires_at"] for row in rows}) == 1
    assert rows[0]["expires_at"] is not None


@pytest.mark.parametrize("secret", ["one", "link"])
async def test_no_session_is_opened_of_a_key_that_is_being_revoked(crowd: Crowd, secret: str) -> None:
    await a_key(crowd.watcher)
    await a_link(crowd.watcher)

    async def revoke(conn: Connection) -> str:
        await conn.execute("select holdfast.revoke_access_key('ci')")
        return "revoked"

    said = await crowd.interleave(revoke, lambda conn: opened(conn, "session", secret), commit=True)
    assert said == ("revoked", INVALID)
    assert await kinds(crowd.watcher) == {}
