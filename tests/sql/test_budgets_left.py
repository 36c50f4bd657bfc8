"""What is left of the budgets of runs that have not ended."""

from datetime import timedelta
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import an_open_run, refusal, settle
from tests.sql.conftest import Clock
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed


async def budgets(conn: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row)[1:] for row in await conn.fetch("select * from holdfast.budgets_left()")]


async def test_open_runs_with_a_budget_are_listed_newest_first(conn: Connection, clock: Clock) -> None:
    await an_open_run(conn, name="without")
    await an_open_run(conn, name="money", budget="5 USD")
    await clock.advance(timedelta(milliseconds=1))  # ids of the same millisecond have no order
    await an_open_run(conn, name="units", max_units=7)
    assert await budgets(conn) == [("units", None, 0, 7, 0), ("money", 5, 0, None, 0)]
    assert len(await conn.fetch("select * from holdfast.budgets_left(1)")) == 1


async def test_what_calls_cost_is_used_before_a_claim_adds_it_up(conn: Connection) -> None:
    await a_fixed_endpoint(conn, price=2, estimate=1)
    run = await an_open_run(conn, budget="50 USD", max_units=10)
    await calls(conn, 1, run=run)
    (job,) = await claimed(conn, await a_caller(conn))
    assert await settle(conn, job, "complete", {"units": 3})
    assert await budgets(conn) == [("a run", 50, 6, 10, 3)]


async def test_a_run_that_has_ended_is_not_listed(conn: Connection) -> None:
    run = await an_open_run(conn, budget="5 USD")
    await conn.execute("select holdfast.seal_run($1)", run)
    await conn.execute("select holdfast.close_runs()")
    assert await budgets(conn) == []


async def test_a_negative_number_of_runs_is_refused(conn: Connection) -> None:
    assert "max" in str(await refusal(conn, "select * from holdfast.budgets_left(-1)"))
