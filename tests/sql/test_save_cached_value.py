"""Only the writer of a cached value stores it, and only what fits."""

from datetime import timedelta

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal, running_job
from tests.sql.cached_values import FREE, HOUR, SAVE, WAIT, save, take
from tests.sql.conftest import Clock


async def test_a_value_lasts_from_when_it_was_stored(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    mine = await take(conn, job)
    await clock.advance(timedelta(minutes=4))
    await save(conn, job, mine["writer"])
    await clock.advance(timedelta(minutes=59))
    assert (await take(conn, job))["result"] == "found"
    await clock.advance(timedelta(minutes=2))
    assert (await take(conn, job))["result"] == "compute"
    assert (await take(conn, job))["result"] == "wait", "a second call of the same attempt"


async def test_null_is_a_value(conn: Connection) -> None:
    job = await running_job(conn)
    assert await save(conn, job, (await take(conn, job))["writer"], None)
    found = await take(conn, job)
    assert (found["result"], found["value"]) == ("found", "null")


async def test_after_the_wait_one_caller_takes_over_and_the_first_value_is_not_stored(
    conn: Connection, clock: Clock
) -> None:
    slow, second, third = [await running_job(conn) for _ in range(3)]
    mine = await take(conn, slow)
    await clock.advance(WAIT + timedelta(seconds=1))
    theirs = await take(conn, second)
    assert [theirs["result"], (await take(conn, third))["result"]] == ["compute", "wait"]
    assert not await save(conn, slow, mine["writer"], '"late"')
    assert not await conn.fetchval(FREE, "s", "k", mine["writer"])
    assert await save(conn, second, theirs["writer"], '"new"')
    assert not await save(conn, slow, mine["writer"], '"later"')
    assert (await take(conn, third))["value"] == '"new"'


async def test_a_value_has_at_most_64_kib(conn: Connection) -> None:
    job = await running_job(conn)
    mine = await take(conn, job)
    given = (job.id, job.token, "s", "k", mine["writer"])
    error = await refusal(conn, SAVE, *given, '"' + "x" * 65535 + '"', HOUR)
    assert (error.sqlstate, "at most 65536 bytes" in error.message) == ("HF001", True)
    assert await save(conn, job, mine["writer"], '"' + "x" * 65534 + '"')


@pytest.mark.parametrize("lasts", [None, timedelta(seconds=-1)])
async def test_a_value_must_last_some_time(conn: Connection, lasts: timedelta | None) -> None:
    job = await running_job(conn)
    given = (job.id, job.token, "s", "k", (await take(conn, job))["writer"], "1")
    assert (await refusal(conn, SAVE, *given, lasts)).sqlstate == "HF002"
