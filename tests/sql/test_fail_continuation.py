"""A callback that failed is sent again by whoever looks next."""

from holdfast.db.connect import Connection
from tests.builders import ready_job
from tests.sql.conftest import Clock
from tests.sql.continuations import an_asked_continuation, look, take, the_continuation

FAIL = "select holdfast.fail_continuation($1, $2)"


async def test_a_failed_one_is_found_without_patience(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    asked = await an_asked_continuation(conn, delay=0)
    assert await look(conn) == []
    assert await conn.fetchval(FAIL, asked, "answered 503\x07") is True
    row = await the_continuation(conn, asked)
    assert (row["state"], row["sent_at"]) == ("asked", None)
    assert row["error"].startswith("answered 503")
    (body,) = await look(conn)
    assert body["continuation"] == str(asked)
    assert await look(conn) == [], "it counts as sent again"


async def test_one_that_came_all_the_same_stays_taken(conn: Connection) -> None:
    await ready_job(conn)
    asked = await an_asked_continuation(conn)
    await take(conn, asked)
    assert await conn.fetchval(FAIL, asked, "no answer") is False
    assert (await the_continuation(conn, asked))["state"] == "taken"
