"""Rows of workers that are gone do not stay for ever."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import a_worker, expire_worker, running_job
from tests.sql.conftest import Clock


async def test_rows_of_workers_that_left_or_vanished_are_forgotten_a_day_later(
    conn: Connection, clock: Clock
) -> None:
    stopped, vanished = await a_worker(conn), await a_worker(conn)
    await conn.execute("select holdfast.stop_worker($1)", stopped)
    busy = (await running_job(conn)).worker
    await clock.advance(timedelta(hours=23))
    alive = await a_worker(conn)
    assert await conn.fetchval("select holdfast.forget_workers()") == 0
    await clock.advance(timedelta(hours=2))
    await conn.execute("select holdfast.renew_lease($1)", alive)
    assert await conn.fetchval("select holdfast.forget_workers()") == 2
    left = {row["id"] for row in await conn.fetch("select id from holdfast.workers")}
    assert left == {busy, alive}
    assert vanished not in left


async def test_how_long_rows_are_kept_can_be_said(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await expire_worker(conn, worker)
    await clock.advance(timedelta(minutes=10))
    assert await conn.fetchval("select holdfast.forget_workers('1 hour')") == 0
    assert await conn.fetchval("select holdfast.forget_workers('5 minutes')") == 1
