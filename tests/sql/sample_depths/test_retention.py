"""Samples are kept by minute, then one for each hour, and then deleted."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import ready_job
from tests.sql.conftest import Clock
from tests.sql.depths import sample, samples

MINUTES = 5


async def samples_of_an_hour(conn: Connection, clock: Clock) -> None:
    """One a minute, all in one hour of UTC."""
    start = await clock.now()
    await clock.advance(timedelta(hours=1) - timedelta(minutes=start.minute))
    for _ in range(MINUTES):
        assert await sample(conn) == 1
        await clock.advance(timedelta(minutes=1))


async def test_samples_of_the_last_week_are_kept_by_minute(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await samples_of_an_hour(conn, clock)
    await clock.advance(timedelta(days=6))
    await sample(conn)
    assert len(await samples(conn)) == MINUTES + 1


async def test_older_ones_are_thinned_to_the_first_of_each_hour(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await ready_job(conn, queue="other")
    start = await clock.now()
    await clock.advance(timedelta(hours=1) - timedelta(minutes=start.minute))
    for _ in range(MINUTES):
        assert await sample(conn) == 2
        await clock.advance(timedelta(minutes=1))
    first = (await samples(conn))[0]["minute"]
    await clock.advance(timedelta(days=7, hours=1))
    await sample(conn)
    assert [(row["queue"], row["minute"]) for row in (await samples(conn))[:-2]] == [
        ("default", first),
        ("other", first),
    ]


async def test_thinning_continues_where_it_stopped(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    for _ in range(3):
        await samples_of_an_hour(conn, clock)
    await clock.advance(timedelta(days=8))
    for _ in range(10):
        await sample(conn, "0")
        await clock.advance(timedelta(minutes=1))
    before = await clock.now() - timedelta(days=7)
    assert len([row for row in await samples(conn) if row["minute"] < before]) == 3


async def test_the_oldest_are_deleted(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await samples_of_an_hour(conn, clock)
    await clock.advance(timedelta(days=31))
    await sample(conn)
    assert len(await samples(conn)) == 1


async def test_the_retention_can_be_set(conn: Connection, clock: Clock) -> None:
    await conn.execute("select holdfast.keep_statistics('1 day', '3 days', 'less', 'Ada')")
    await ready_job(conn)
    await samples_of_an_hour(conn, clock)
    await clock.advance(timedelta(days=1, hours=3))
    await sample(conn)
    assert len(await samples(conn)) == 2
    await clock.advance(timedelta(days=3))
    await sample(conn)
    assert len(await samples(conn)) == 1  # the newest one
