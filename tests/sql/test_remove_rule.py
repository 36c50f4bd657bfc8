"""A removed rule judges no job, and the audit trail keeps what it said."""

from holdfast.db.connect import Connection
from tests.sql.rules.scene import a_rule, stored
from tests.sql.test_set_queue import trail

REMOVE = "select holdfast.remove_rule('task', 'capture', $1, 'gone', 'Ada')"


async def test_a_removed_rule_judges_no_job(conn: Connection) -> None:
    await a_rule(conn, "all", condition="exists ($)", points=7)
    assert await conn.fetchval(REMOVE, "all") is True
    assert await stored(conn) == ("default", 50, None)
    *_, last = await trail(conn)
    assert (last[0], last[1], last[2]) == ("remove_rule", "Ada", "gone")
    assert (last[4]["before"]["points"], last[4]["after"]["points"]) == (7, None)


async def test_a_rule_that_is_not_there_is_no_event(conn: Connection) -> None:
    assert await conn.fetchval(REMOVE, "none") is False
    assert await trail(conn) == []
