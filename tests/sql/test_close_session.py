from holdfast.db.connect import Connection
from tests.sql.access_keys import a_key, a_link, a_session, check, digest

CLOSE = "select holdfast.close_session($1)"


async def test_a_closed_session_is_refused_and_the_others_go_on(conn: Connection) -> None:
    await a_key(conn)
    await a_session(conn)
    await a_session(conn, "other")
    assert await conn.fetchval(CLOSE, digest("session"))
    assert [await check(conn, secret=one) for one in ("session", "other")] == ["HF007", "producer"]
    assert not await conn.fetchval(CLOSE, digest("session"))


async def test_it_closes_nothing_but_a_session(conn: Connection) -> None:
    await a_key(conn)
    await a_link(conn)
    assert [await conn.fetchval(CLOSE, digest(one)) for one in ("one", "link")] == [False, False]
    assert await check(conn) == "producer"
    assert (await a_session(conn, by="link"))["name"] == "ci"
