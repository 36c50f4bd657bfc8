"""Schedules on several nodes: each slot makes one job, whoever fires it."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.db.connect import Database
from holdfast.db.schedules import due_schedules, pause_schedule, resume_schedule
from holdfast.maintenance.fire_schedules import fire_schedules
from holdfast.testing.clock import FakeClock, install_fake_clock
from tests.machine.invariants import violations
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

HOUR = timedelta(hours=1)
SPRING = datetime(2026, 3, 27, tzinfo=UTC)
AUTUMN = datetime(2026, 10, 23, tzinfo=UTC)
DAYS = 5
NODES = 10
SLOTS = "select labels ->> 'slot' from holdfast.job_view where labels ->> 'schedule' = $1 order by 1"
FIRE = "select result from holdfast.fire_schedule('hourly', $1, $2)"


async def set_schedule(db: Database, name: str, **settings: object) -> None:
    await db.execute("select holdfast.set_schedule($1, $2)", name, json.dumps({"task": "t", **settings}))


async def slots(db: Database, name: str) -> list[str]:
    return [row[0] for row in await db.fetch(SLOTS, name)]


async def clock_at(db: Database, moment: datetime) -> FakeClock:
    clock = await install_fake_clock(db)
    await clock.set(moment)
    return clock


async def test_ten_connections_that_fire_the_same_slots_make_one_job_each(database_url: str) -> None:
    async with Database(database_url, pool_size=NODES) as db:
        clock = await clock_at(db, SPRING)
        await set_schedule(db, "hourly", cron="0 * * * *")
        await set_schedule(db, "all", every=1200, missed="all")
        for _ in range(12):
            await clock.advance(HOUR)
            await asyncio.gather(*(fire_schedules(db) for _ in range(NODES)))
        # A round ends early where another holds the row: the next one goes on.
        await fire_schedules(db)
        hours = [SPRING + hour * HOUR for hour in range(1, 13)]
        assert await slots(db, "hourly") == [f"{hour:%Y-%m-%dT%H:%M:%SZ}" for hour in hours]
        assert len(await slots(db, "all")) == 36
        async with db.connection() as conn:
            assert await violations(conn) == []


async def test_a_slot_whose_schedule_another_transaction_holds_is_left_to_it(database_url: str) -> None:
    """A fire neither waits for it nor fires beside it."""
    async with Database(database_url) as db, db.connection() as one, db.connection() as other:
        clock = await clock_at(db, SPRING)
        await set_schedule(db, "hourly", every=3600)
        await fire_schedules(db)
        for hours in (1, 2):
            await clock.advance(HOUR)
            slot = SPRING + hours * HOUR
            async with one.transaction():
                if hours == 1:
                    assert await one.fetchval(FIRE, slot, slot + HOUR) == "fired"
                else:
                    await pause_schedule(one, "hourly", None, "me")
                assert await other.fetchval(FIRE, slot, slot + HOUR) is None
        await fire_schedules(db)
        assert await slots(db, "hourly") == [f"{SPRING + HOUR:%Y-%m-%dT%H:%M:%SZ}"]


@pytest.mark.slow
async def test_ten_processes_fire_each_slot_once_across_both_changes_of_the_clock(database_url: str) -> None:
    """Five faked days around each change; what lies between is a pause."""
    async with Database(database_url) as db:
        clock = await clock_at(db, SPRING)
        await set_schedule(db, "fixed", cron="30 2 * * *", tz="Europe/Berlin")
        await set_schedule(db, "wild", cron="30 * * * *", tz="Europe/Berlin")
        until = AUTUMN + (DAYS + 1) * 24 * HOUR
        module = ("-m", "tests.race.schedule_process", database_url, until.isoformat())
        processes = [
            await asyncio.create_subprocess_exec(sys.executable, *module, cwd=ROOT) for _ in range(NODES)
        ]
        try:
            await settled(db)
            await days(db, clock)
            await both(db, pause_schedule)
            await clock.set(AUTUMN)
            await both(db, resume_schedule)
            await days(db, clock)
            await both(db, pause_schedule)
        finally:
            await clock.set(until)
            async with asyncio.timeout(PATIENCE):
                codes = [await process.wait() for process in processes]
        assert codes == [0] * NODES
        half_hours = [
            start + hour * HOUR + HOUR / 2 for start in (SPRING, AUTUMN) for hour in range(24 * DAYS)
        ]
        assert await slots(db, "wild") == [f"{slot:%Y-%m-%dT%H:%M:%SZ}" for slot in half_hours]
        assert await slots(db, "fixed") == [
            *(f"2026-03-{day}T01:30:00Z" for day in (27, 28)),
            "2026-03-29T01:00:00Z",  # 02:30 is left out: 03:00
            *(f"2026-03-{day}T00:30:00Z" for day in (30, 31)),
            *(f"2026-10-{day}T00:30:00Z" for day in (23, 24)),
            "2026-10-25T00:30:00Z",  # 02:30 comes twice: the first
            *(f"2026-10-{day}T01:30:00Z" for day in (26, 27)),
        ]
        async with db.connection() as conn:
            assert await violations(conn) == []


async def both(db: Database, verb: Callable[[Database, str, None, str], Awaitable[None]]) -> None:
    for name in ("fixed", "wild"):
        await verb(db, name, None, "me")


async def days(db: Database, clock: FakeClock) -> None:
    await settled(db)
    for _ in range(24 * DAYS):
        await clock.advance(HOUR)
        await settled(db)


async def settled(db: Database) -> None:
    """Some process has fired all that is due."""
    async with asyncio.timeout(PATIENCE):
        while await due_schedules(db, 1):
            await asyncio.sleep(0.005)
