from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import a_key, check, digest, trail


async def test_a_revoked_key_is_refused_with_all_its_secrets(conn: Connection) -> None:
    await a_key(conn)
    await conn.execute("select holdfast.rotate_access_key('ci', $1, $2)", digest("two"), timedelta(days=1))
    await conn.execute("select holdfast.revoke_access_key('ci', 'left the team', 'Ada')")
    assert [await check(conn, secret=one) for one in ("one", "two")] == ["HF007", "HF007"]
    (row,) = await conn.fetch("select state, secrets from holdfast.access_key_view")
    assert tuple(row) == ("revoked", 0)
    assert (await trail(conn))[-1] == ("revoke_access_key", "Ada", "left the team")


async def test_a_key_cannot_be_revoked_twice(conn: Connection) -> None:
    await a_key(conn)
    await conn.execute("select holdfast.revoke_access_key('ci')")
    assert (await refusal(conn, "select holdfast.revoke_access_key('ci')")).sqlstate == "HF004"
