"""An endpoint works on after a day of calls, and after a day without any."""

from datetime import timedelta

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import complete, fail
from tests.sql.endpoints.scene import a_caller, calls, claimed, the_endpoint

DAY = timedelta(days=1)


async def test_a_call_after_a_day_without_calls_is_counted(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await calls(conn, 2, estimate=5)
    (first, second) = await claimed(conn, await a_caller(conn))
    assert await complete(conn, first)
    await clock.advance(DAY - timedelta(minutes=1))
    assert await complete(conn, second)
    assert (await the_endpoint(conn))["delivered_sum"] == 5, "what came a day ago counts no more"


async def test_an_endpoint_that_has_worked_for_a_day_takes_an_answer_429(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await calls(conn, 3, estimate=5)
    jobs = await claimed(conn, await a_caller(conn), 1)
    assert await complete(conn, jobs[0])
    await clock.advance(DAY - timedelta(minutes=5))
    worker = await a_caller(conn)
    jobs = await claimed(conn, worker)
    assert await complete(conn, jobs[0])
    assert await fail(conn, jobs[1], "rate_limited", retry_after=1)
    await clock.advance(timedelta(minutes=2))
    (last,) = await claimed(conn, worker)
    assert await complete(conn, last)
    assert (await the_endpoint(conn))["rate"] is not None
