"""A computation that failed leaves its key to the next caller."""

from holdfast.db.connect import Connection
from tests.builders import running_job
from tests.sql.cached_values import FREE, save, take


async def test_a_computation_that_failed_frees_the_key_at_once(conn: Connection) -> None:
    first, second = await running_job(conn), await running_job(conn)
    mine = await take(conn, first)
    assert await conn.fetchval(FREE, "s", "k", mine["writer"])
    theirs = await take(conn, second)
    assert theirs["result"] == "compute"
    assert not await conn.fetchval(FREE, "s", "k", mine["writer"]), "it has the key no more"
    assert await save(conn, second, theirs["writer"])
