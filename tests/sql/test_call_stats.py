"""Calls of models and tools."""

from datetime import timedelta

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import CallsBy
from tests.builders import complete, refusal
from tests.sql.conftest import Clock
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, claimed
from tests.sql.endpoints.scene import calls as jobs_that_call
from tests.sql.summarise_ends.scene import call, summarise

HOUR = timedelta(hours=1)


async def test_models_are_told_with_units_and_cost(conn: Connection, clock: Clock) -> None:
    await a_fixed_endpoint(conn, price=0.5)
    await jobs_that_call(conn, 1)
    (job,) = await claimed(conn, await a_caller(conn))
    await call(conn, job, units=10, seconds=2)
    await call(conn, job, units=30, seconds=4)
    await call(conn, job, name="small", error="it broke", units=0, seconds=1)
    await call(conn, job, "tool", name="look_up", seconds=3)
    await complete(conn, job)
    await summarise(conn)
    big, small = await stats.call_stats(conn, HOUR)
    assert (big.name, big.calls, big.errors, big.units, big.cost, big.seconds) == ("big", 2, 0, 40, 20, 6)
    assert (small.name, small.calls, small.errors, small.cost) == ("small", 1, 1, 0)
    (tool,) = await stats.call_stats(conn, HOUR, CallsBy.TOOL)
    assert (tool.name, tool.calls, tool.mean) == ("look_up", 1, timedelta(seconds=3))
    (task,) = await stats.call_stats(conn, HOUR, CallsBy.TASK)
    assert (task.name, task.calls) == ("task", 4)


async def test_an_unknown_dimension_is_refused(conn: Connection) -> None:
    error = await refusal(conn, "select * from holdfast.call_stats('1 hour', 'colour')")
    assert (error.sqlstate, "model, tool, task or stage" in str(error)) == ("HF002", True)
