"""What an endpoint did, slice by slice."""

from holdfast.db.connect import Connection
from tests.builders import complete
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed

SECONDS = """
insert into holdfast.endpoint_seconds
  (endpoint, second, started, ok, failed, limited, units, took, "limit", in_flight)
select
  'model', extract(epoch from date_trunc('minute', holdfast.now()))::bigint + 60 - ago, 4, 2, 1, 1, 10, took,
  "limit", in_flight
from (values (30, 4.0, 8.9, 3), (90, 2.0, 4.0, 4), (3500, 1.0, 2.0, 1), (5000, 9.0, 9.0, 9)) as v
  (ago, took, "limit", in_flight)
"""


async def test_calls_are_added_up_by_slice(conn: Connection) -> None:
    await an_endpoint(conn)
    await conn.execute(SECONDS)
    oldest, newest = await conn.fetch("select * from holdfast.endpoint_trend('model', '1 hour', 6)")
    assert (oldest["slice"], newest["slice"]) == (0, 5)
    assert [newest[name] for name in ("started", "ok", "failed", "limited", "units")] == [8, 4, 2, 2, 20]
    assert newest["mean_seconds"] == 1.5, "six seconds for four good answers"
    assert (newest["limit"], newest["in_flight"]) == (8, 4), "the highest of the slice"


async def test_the_second_under_way_counts_too(conn: Connection) -> None:
    await calls(conn, 2, estimate=5)
    for job in await claimed(conn, await a_caller(conn)):
        await complete(conn, job)
    rows = await conn.fetch("select * from holdfast.endpoint_trend('model')")
    assert sum(row["started"] for row in rows) == sum(row["ok"] for row in rows) == 2


async def test_a_slice_without_a_call_is_left_out(conn: Connection) -> None:
    assert await conn.fetch("select * from holdfast.endpoint_trend('no-such')") == []
