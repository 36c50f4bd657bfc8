"""What `permit` cuts out of the functions is found in them, and they still work without it."""

from bench.suites.beside import cut_out
from bench.turns import Drain
from holdfast.db.connect import Connection


async def test_plain_jobs_are_claimed_and_end_without_flow_control(conn: Connection) -> None:
    await cut_out(conn)
    drain = Drain(conn, "plain")
    await drain.prepare({}, jobs=4)
    await drain.turn(2)
    await drain.turn(2)
    assert await conn.fetchval("select count(*) from holdfast.history where state = 'completed'") == 2
