"""Ids carry the time of creation, rise within a call, and do not repeat."""

from datetime import UTC, datetime, timedelta

from holdfast.db.connect import Connection

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 891000, tzinfo=UTC)


async def test_an_id_is_a_version_7_uuid_of_its_time(conn: Connection) -> None:
    ids = await conn.fetchval("select holdfast.new_ids($1, 1000)", MOMENT)
    assert len(set(ids)) == 1000
    assert ids == sorted(ids)
    assert {one.version for one in ids} == {7}
    assert {one.variant for one in ids} == {"specified in RFC 4122"}
    times = await conn.fetch("select distinct holdfast.created_at(i) as t from unnest($1::uuid[]) as i", ids)
    assert [row["t"] for row in times] == [MOMENT]


async def test_ids_of_different_calls_differ(conn: Connection) -> None:
    ids = await conn.fetch("select holdfast.new_id($1) as i from generate_series(1, 1000)", MOMENT)
    batches = await conn.fetch("select holdfast.new_ids($1, 10) as b from generate_series(1, 100)", MOMENT)
    everything = [row["i"] for row in ids] + [one for row in batches for one in row["b"]]
    assert len(set(everything)) == 2000


async def test_other_ids_carry_no_time(conn: Connection) -> None:
    assert await conn.fetchval("select holdfast.created_at(gen_random_uuid())") is None


async def test_the_clock_runs(conn: Connection) -> None:
    first = await conn.fetchval("select holdfast.now()")
    second = await conn.fetchval("select holdfast.now()")
    assert timedelta() < second - first < timedelta(minutes=1)
