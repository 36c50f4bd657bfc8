"""Rebalancing no longer moves jobs between two queues."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal

REMOVE = "select holdfast.remove_rebalance('a', 'b', 'enough', 'Ada')"


async def test_a_removed_pair_is_gone_and_recorded(conn: Connection) -> None:
    await a_queue(conn, "a")
    await a_queue(conn, "b")
    await conn.execute("select holdfast.set_rebalance('a', 'b')")
    await conn.execute(REMOVE)
    assert await conn.fetch("select * from holdfast.rebalance_view") == []
    (event,) = await conn.fetch("select * from holdfast.audit_view where cause = 'remove_rebalance'")
    assert (event["actor"], event["reason"]) == ("Ada", "enough")
    assert '"ratio": 3' in event["detail"]
    assert (await refusal(conn, REMOVE)).sqlstate == "HF004"
