"""Seconds of endpoints are kept for six hours."""

from holdfast.db.connect import Connection
from tests.builders import complete
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed


async def test_what_an_endpoint_did_more_than_six_hours_ago_is_forgotten(conn: Connection) -> None:
    await an_endpoint(conn)
    await conn.execute(
        "insert into holdfast.endpoint_seconds (endpoint, second)"
        " select 'model', extract(epoch from holdfast.now())::bigint - i * 3600"
        " from generate_series(0, 9) as i"
    )
    assert await conn.fetchval("select holdfast.prune_endpoints(2)") == 2
    assert await conn.fetchval("select holdfast.prune_endpoints()") in (1, 2)
    assert await conn.fetchval("select holdfast.prune_endpoints()") == 0
    assert await conn.fetchval("select count(*) from holdfast.endpoint_seconds") in (6, 7)


async def test_what_an_endpoint_just_did_stays(conn: Connection) -> None:
    await calls(conn, 1)
    for job in await claimed(conn, await a_caller(conn)):
        await complete(conn, job)
    assert await conn.fetchval("select holdfast.prune_endpoints()") == 0
    assert await conn.fetchval("select sum(ok) from holdfast.endpoint_history('model')") == 1
