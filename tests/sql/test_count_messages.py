"""Messages by state, the ended ones since the installation."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import a_queue, ready_job
from tests.sql.access_keys import a_key
from tests.sql.conftest import Clock
from tests.sql.messages import claim, end


async def test_messages_are_counted_since_the_installation(conn: Connection, clock: Clock) -> None:
    key = await a_key(conn, "worker", queues=["default"])

    async def counts() -> tuple[int, ...]:
        row = await conn.fetchrow("select * from holdfast.count_messages($1)", key)
        assert row is not None
        return tuple(row)

    await a_queue(conn, max_failures=1, retention="1 day")
    for name in ("a", "b", "c", "d"):
        await ready_job(conn, unique_key=name)
    await ready_job(conn, queue="elsewhere")
    await ready_job(conn, delay=timedelta(days=9))
    assert await counts() == (5, 0, 0, 0)
    for name, verb in (("a", "complete"), ("b", "fail")):
        assert await claim(conn, key, "w", name)
        await end(conn, key, "w", name, verb)
    assert await claim(conn, key, "w", "c")
    assert await counts() == (2, 1, 1, 1), "before they are summarised"
    await conn.execute("select holdfast.summarise_ends()")
    assert await counts() == (2, 1, 1, 1), "and afterwards"
    await clock.advance(timedelta(days=2))
    await conn.execute("select holdfast.summarise_ends()")
    await conn.execute("delete from holdfast.history")
    assert (await counts())[2:] == (1, 1), "whatever became of the records"
