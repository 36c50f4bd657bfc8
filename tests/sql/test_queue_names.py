"""Names of queues come in order, so many at a time."""

from holdfast.db.connect import Connection
from tests.builders import a_queue


async def test_names_come_in_order_and_go_on_after_one(conn: Connection) -> None:
    for name in ("c", "a", "b"):
        await a_queue(conn, name)
    names = "select name from holdfast.queue_names($1, $2) as name"
    assert [row["name"] for row in await conn.fetch(names, None, 2)] == ["a", "b"]
    assert [row["name"] for row in await conn.fetch(names, "b", 2)] == ["c"]
