"""Calls of models and tools, and where the time of a task went."""

from datetime import timedelta

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import CallsBy
from tests.builders import complete, refusal, running_job
from tests.sql.conftest import Clock
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, claimed
from tests.sql.endpoints.scene import calls as jobs_that_call
from tests.sql.statistics.scene import call, summarise

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


async def test_the_time_of_a_task_is_split_into_parts(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await call(conn, job, seconds=2)
    await call(conn, job, "tool", seconds=3)
    await clock.advance(timedelta(seconds=20))
    await complete(conn, job)
    await summarise(conn)
    (part,) = await stats.time_parts(conn, HOUR)
    assert (part.name, part.attempts, part.model, part.tool, part.database) == ("task", 1, 2, 3, 0)
    assert part.handler == pytest.approx(15, abs=1)


async def test_an_unknown_dimension_is_refused(conn: Connection) -> None:
    error = await refusal(conn, "select * from holdfast.call_stats('1 hour', 'colour')")
    assert (error.sqlstate, "model, tool, task or stage" in str(error)) == ("HF002", True)
