"""A worker's round over the schedules, on a faked clock: the clock of its host does not matter."""

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from holdfast import Holdfast, JobContext, Worker
from holdfast.db.connect import Database
from holdfast.db.schedules import get_schedule, pause_schedule, resume_schedule
from holdfast.maintenance.fire_schedules import BATCH, fire_schedules
from holdfast.model.error import HoldfastError
from holdfast.model.schedule import Schedule
from holdfast.testing.clock import FakeClock, install_fake_clock
from tests.worker.outage import outage
from tests.worker.working import until, working

START = datetime(2026, 3, 25, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
async def clock(db: Database) -> FakeClock:
    clock = await install_fake_clock(db)
    await clock.set(START)
    return clock


async def set_schedule(db: Database, name: str = "s", **settings: Any) -> None:
    given = {"task": "report", **settings}
    await db.execute("select holdfast.set_schedule($1, $2)", name, json.dumps(given))


async def slots(db: Database, name: str = "s") -> list[str]:
    return [slot.removeprefix("2026-") for slot in await whole_slots(db, name)]


async def whole_slots(db: Database, name: str = "s") -> list[str]:
    rows = await db.fetch(
        "select labels ->> 'slot' as slot from holdfast.job_view where labels ->> 'schedule' = $1 order by 1",
        name,
    )
    return [row["slot"] for row in rows]


async def schedule(db: Database, name: str = "s") -> Schedule:
    found = await get_schedule(db, name)
    assert found is not None
    return found


async def sweep(db: Database, clock: FakeClock, hours: int) -> None:
    """A round every hour."""
    for _ in range(hours):
        await clock.advance(HOUR)
        await fire_schedules(db)


async def test_each_slot_makes_one_job_across_a_change_of_the_clock(db: Database, clock: FakeClock) -> None:
    await set_schedule(db, cron="30 2 * * *", tz="Europe/Berlin")
    await fire_schedules(db)
    await sweep(db, clock, 24 * 6)
    assert await slots(db) == [
        "03-26T01:30:00Z",
        "03-27T01:30:00Z",
        "03-28T01:30:00Z",
        "03-29T01:00:00Z",  # 02:30 is left out: 03:00
        "03-30T00:30:00Z",
        "03-31T00:30:00Z",
    ]


@pytest.mark.parametrize(
    ("missed", "made"),
    [
        ("skip", ["03-25T16:00:00Z"]),
        ("last", ["03-25T15:00:00Z", "03-25T16:00:00Z"]),
        ("all", ["03-25T13:00:00Z", "03-25T14:00:00Z", "03-25T15:00:00Z", "03-25T16:00:00Z"]),
    ],
)
async def test_after_three_slots_without_a_worker_the_policy_decides(
    db: Database, clock: FakeClock, missed: str, made: list[str]
) -> None:
    await set_schedule(db, cron="0 * * * *", missed=missed)
    await fire_schedules(db)
    await clock.advance(3.5 * HOUR)
    await fire_schedules(db)
    await clock.advance(HOUR / 2)
    await fire_schedules(db)
    assert await slots(db) == made


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize(("missed", "leaves_a_gap"), [("skip", True), ("last", True), ("all", False)])
async def test_after_three_slots_without_a_database_the_policy_decides_too(
    app: Holdfast, server_url: str, database_url: str, missed: str, leaves_a_gap: bool
) -> None:
    app.task(name="report")(lambda: None)

    async def at_least(count: int) -> bool:
        try:
            return len(await slots(app.database)) >= count
        except HoldfastError:  # connections that the outage closed
            return False

    async with working(app):
        await set_schedule(app.database, every="1 second", missed=missed)
        await until(lambda: at_least(2))
        async with outage(server_url, database_url):
            await asyncio.sleep(3.5)
        await until(lambda: at_least(8))
    made = [datetime.fromisoformat(slot) for slot in await whole_slots(app.database)]
    gaps = {(after - before) / timedelta(seconds=1) for before, after in pairwise(made)}
    assert min(gaps) >= 1, "one job per slot"
    assert (max(gaps) >= 3) is leaves_a_gap


async def test_a_schedule_that_catches_up_is_bounded_per_round_and_goes_on(
    db: Database, clock: FakeClock
) -> None:
    await set_schedule(db, every=60, missed="all")
    await set_schedule(db, "other", every=3600)
    await fire_schedules(db)
    await clock.advance(timedelta(minutes=150))
    assert await fire_schedules(db) == BATCH
    assert 0 < len(await slots(db)) < BATCH
    assert len(await slots(db, "other")) == 1
    assert await fire_schedules(db) < BATCH
    assert len(await slots(db)) == 150


async def test_the_slots_of_a_pause_are_not_made_up_for(db: Database, clock: FakeClock) -> None:
    await set_schedule(db, cron="0 * * * *", missed="all")
    await fire_schedules(db)
    await sweep(db, clock, 1)
    await pause_schedule(db, "s", "hot", "Ada")
    await sweep(db, clock, 3)
    await resume_schedule(db, "s", "cool", "Ada")
    await sweep(db, clock, 2)
    assert await slots(db) == ["03-25T13:00:00Z", "03-25T17:00:00Z", "03-25T18:00:00Z"]


async def test_a_changed_expression_counts_from_the_change_on(db: Database, clock: FakeClock) -> None:
    await set_schedule(db, cron="0 * * * *", missed="all")
    await fire_schedules(db)
    await sweep(db, clock, 1)
    await clock.advance(2 * HOUR + HOUR / 4)
    await set_schedule(db, cron="20 * * * *")
    await clock.advance(HOUR / 4)
    await fire_schedules(db)
    assert await slots(db) == ["03-25T13:00:00Z", "03-25T15:20:00Z"]


async def test_what_cannot_be_read_becomes_invalid_and_stops_no_other(
    db: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "holdfast")
    await set_schedule(db, "a", cron="every day")
    await set_schedule(db, "b", cron="0 7 * * *", tz="Europe/Atlantis")
    await set_schedule(db, "c", every=3600)
    await fire_schedules(db)
    assert [(await schedule(db, name)).state for name in "abc"] == ["invalid", "invalid", "active"]
    assert "must have 5 fields" in str((await schedule(db, "a")).problem)
    assert "no time zone 'Europe/Atlantis'" in str((await schedule(db, "b")).problem)
    assert [record.message.split()[0:2] for record in caplog.records] == [
        ["schedule.invalid", "schedule=a"],
        ["schedule.invalid", "schedule=b"],
    ]
    await set_schedule(db, "a", cron="0 7 * * *")
    await fire_schedules(db)
    assert ((await schedule(db, "a")).state, (await schedule(db, "a")).problem) == ("active", None)


async def test_a_refused_job_is_logged_and_stops_no_other(
    db: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "holdfast")
    await set_schedule(db, "a", task=None, pipeline="none", every=3600)
    await set_schedule(db, "b", every=3600)
    await fire_schedules(db)
    await sweep(db, clock, 1)
    assert (await schedule(db, "a")).state == "failing"
    assert len(await slots(db, "b")) == 1
    assert "There is no pipeline none" in caplog.text


async def test_a_worker_declares_and_fires_its_schedules_and_handlers_see_the_slot(
    database_url: str, db: Database
) -> None:
    app = Holdfast(database_url, name="shop")
    seen: list[tuple[datetime | None, int]] = []

    @app.schedule(every="1s", payload={"number": 7}, name="often")
    @app.task()
    async def report(ctx: JobContext, number: int) -> None:
        seen.append((ctx.slot, number))
        worker.stop()

    worker = Worker(app, ["default"], slots=1)
    async with app:
        await worker.run()
        made = await app.schedules.get("often")
        jobs = await app.jobs(origin="scheduled")
    assert (made.app, made.task, made.state) == ("shop", "report", "active")
    assert seen[0][1] == 7
    assert seen[0][0] in {datetime.fromisoformat(job.labels["slot"]) for job in jobs}
    assert {job.claimed_actor for job in jobs} == {"schedule often"}


async def test_an_error_of_one_schedule_does_not_keep_the_others_waiting(
    db: Database, clock: FakeClock
) -> None:
    for name in ("a", "b"):
        await set_schedule(db, name, every="1 hour")
    await fire_schedules(db)
    await db.execute(
        "create function refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'no'; end $$;"
        " create trigger refuse before update on holdfast.schedules for each row"
        " when (old.name = 'a') execute function refuse()"
    )
    await clock.advance(HOUR)
    with pytest.raises(HoldfastError):
        await fire_schedules(db)
    assert (await slots(db, "a"), await slots(db, "b")) == ([], ["03-25T13:00:00Z"])
