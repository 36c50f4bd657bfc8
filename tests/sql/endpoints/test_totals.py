"""Lasting totals of an endpoint: what endpoint_total_view shows never falls."""

from datetime import timedelta

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import complete, fail
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed


async def totals(conn: Connection) -> Record:
    (row,) = await conn.fetch("select * from holdfast.endpoint_total_view")
    return row


async def test_calls_are_counted_by_outcome_with_units_seconds_and_money(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await a_fixed_endpoint(conn, price=2)
    await calls(conn, 4, estimate=5)
    good, better, bad, limited = await claimed(conn, await a_caller(conn))
    await clock.advance("3s")
    await complete(conn, good)
    await clock.advance("1s")
    await complete(conn, better)
    await fail(conn, bad)
    await fail(conn, limited, "rate_limited", retry_after=0)
    found = await totals(conn)
    assert (found["started"], found["ok"], found["failed"], found["limited"]) == (4, 2, 1, 1)
    assert (found["units"], found["seconds"], found["cost"]) == (10, pytest.approx(7), 20)


async def test_totals_outlive_the_seconds_they_were_counted_in(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await a_fixed_endpoint(conn, price=2)
    worker = await a_caller(conn)
    for done in range(1, 4):
        await calls(conn, 1, estimate=5)
        (job,) = await claimed(conn, worker)
        await complete(conn, job)
        await clock.advance("7h")
        await conn.execute("select holdfast.prune_endpoints()")
        found = await totals(conn)
        assert (found["started"], found["ok"], found["units"], found["cost"]) == (
            *(done, done),
            *(5 * done, 10 * done),
        )
    assert await conn.fetchval("select count(*) from holdfast.endpoint_seconds") == 0


async def test_a_new_price_leaves_what_was_spent_as_it_is(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await a_fixed_endpoint(conn, price=2)
    worker = await a_caller(conn)
    await calls(conn, 2, estimate=5)
    first, second = await claimed(conn, worker)
    await complete(conn, first)
    for price in (0.5, 3):
        await conn.execute("select holdfast.declare_endpoint('model', $1)", f'{{"price": {price}}}')
        assert (await totals(conn))["cost"] == 10
    await clock.advance("1s")
    await complete(conn, second)
    assert (await totals(conn))["cost"] == 10 + 15


async def test_a_claim_that_finds_no_job_stores_a_second_once(conn: Connection) -> None:
    """A job whose deadline has passed is ready, and no claim takes it."""
    clock = await install_fake_clock(conn)
    await a_fixed_endpoint(conn)
    worker = await a_caller(conn)
    await calls(conn, 1, estimate=5)
    (job,) = await claimed(conn, worker)
    await complete(conn, job)
    await calls(conn, 1, deadline=await clock.now() + timedelta(seconds=1))
    await clock.advance("2s")
    for _ in range(3):
        assert await claimed(conn, worker) == []
    assert await conn.fetchval("select sum(units) from holdfast.endpoint_history('model')") == 5
    assert (await totals(conn))["units"] == 5
