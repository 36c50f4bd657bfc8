"""What an endpoint did."""

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import complete
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed


async def test_history_tells_what_happened_second_by_second(conn: Connection) -> None:
    await calls(conn, 2, estimate=5)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await complete(conn, job)
    rows = await conn.fetch("select * from holdfast.endpoint_history('model')")
    assert sum(row["started"] for row in rows) == sum(row["ok"] for row in rows) == 2
    assert sum(row["units"] for row in rows) == 10
    assert (rows[-1]["in_flight"], rows[-1]["circuit"]) == (0, "closed")


async def test_a_second_is_written_once_when_it_is_over(conn: Connection) -> None:
    """A row a second, not a row a call: what a call writes stays small."""
    clock = await install_fake_clock(conn)
    await calls(conn, 2, estimate=5)
    first, second = await claimed(conn, await a_caller(conn))
    await complete(conn, first)
    assert await conn.fetchval("select count(*) from holdfast.endpoint_seconds") == 0
    await clock.advance("3s")
    await complete(conn, second)
    row = await conn.fetchrow("select * from holdfast.endpoint_seconds")
    assert row is not None
    assert (row["started"], row["ok"], row["units"], row["in_flight"]) == (2, 1, 5, 1)
    assert await conn.fetchval("select sum(ok) from holdfast.endpoint_history('model')") == 2


async def test_a_history_goes_back_as_far_as_is_asked_and_six_hours_at_most(conn: Connection) -> None:
    await an_endpoint(conn)
    await conn.execute(
        "insert into holdfast.endpoint_seconds (endpoint, second)"
        " select 'model', extract(epoch from holdfast.now())::bigint - i"
        " from unnest(array[60, 1200, 18000, 36000]) as i"
    )
    count = "select count(*) from holdfast.endpoint_history('model', $1::text::interval)"
    assert [await conn.fetchval(count, span) for span in ("10 minutes", "1 hour", "1 day")] == [1, 2, 3]


async def test_an_endpoint_without_calls_has_no_history(conn: Connection) -> None:
    assert await conn.fetch("select * from holdfast.endpoint_history('no-such')") == []
