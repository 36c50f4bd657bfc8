"""A day is sealed while others still write to the trail, and settings are set by two at once."""

import asyncio

import pytest

from holdfast.db.connect import Connection, Database
from tests.builders import is_waiting

SEAL = "select days, events from holdfast.seal_events()"
PAUSE = "select holdfast.pause_all_queues('lunch', 'Ada')"
# The events so far are those of yesterday.
AGE = "update holdfast.events set at = at - interval '1 day'"
NEW = "insert into holdfast.events (at, cause) values (holdfast.now(), 'pause_all')"
LATE = "insert into holdfast.events (at, cause) values (holdfast.now() - interval '1 day', 'pause_all')"
STATUS = "select status from holdfast.verify_events() order by day"


async def sealed(conn: Connection) -> tuple[int, int]:
    row = await conn.fetchrow(SEAL)
    assert row is not None
    return row["days"], row["events"]


async def test_a_day_is_not_sealed_while_a_transaction_may_still_add_to_it(db: Database) -> None:
    async with db.connection() as late, db.connection() as maintenance:
        await maintenance.execute(PAUSE)
        await maintenance.execute(AGE)
        transaction = late.transaction()
        await transaction.start()
        await late.execute(LATE)
        assert await sealed(maintenance) == (0, 0)
        await transaction.commit()
        assert await sealed(maintenance) == (1, 2), "with the event that was committed after midnight"
        assert [row["status"] for row in await maintenance.fetch(STATUS)] == ["intact"]


async def test_a_transaction_that_began_to_write_after_the_day_was_marked_is_not_waited_for(
    db: Database,
) -> None:
    async with db.connection() as early, db.connection() as later, db.connection() as maintenance:
        await maintenance.execute(PAUSE)
        await maintenance.execute(AGE)
        first = early.transaction()
        await first.start()
        await early.execute(NEW)
        assert await sealed(maintenance) == (0, 0), "marked, and waits for the first"
        second = later.transaction()
        await second.start()
        await later.execute(NEW)
        await first.commit()
        assert await sealed(maintenance) == (1, 1), "the first wrote to the day of today"
        await second.commit()
        assert [row["status"] for row in await maintenance.fetch(STATUS)] == ["intact", "unsealed"]


async def test_two_who_seal_at_once_make_one_chain(db: Database) -> None:
    async with db.connection() as one, db.connection() as other:
        await one.execute(PAUSE)
        await one.execute(AGE)
        async with one.transaction():
            assert await sealed(one) == (1, 1)
            assert await other.fetchrow(SEAL) is None
        assert await sealed(other) == (0, 0)


@pytest.mark.parametrize(
    "declare",
    [
        """select holdfast.declare_queue('q', '{"max_concurrent": 3, "priority": 7}')""",
        """select holdfast.declare_task('t', '{"max_concurrent": 3, "priority": 7}')""",
        """select holdfast.declare_endpoint('e', '{"max": 7}')""",
    ],
)
async def test_two_apps_that_declare_the_same_change_at_once_write_one_event(
    db: Database, database_url: str, declare: str
) -> None:
    async with db.connection() as one, db.connection() as other, db.connection() as watcher:
        transaction = one.transaction()
        await transaction.start()
        await one.execute(declare)
        second = asyncio.create_task(other.execute(declare))
        await is_waiting(database_url, other, second)
        await transaction.commit()
        await second
        assert await watcher.fetchval("select count(*) from holdfast.events") == 1
