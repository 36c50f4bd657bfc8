"""A round reads no minute without need: pauses are skipped in few steps, and no end in between is missed."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import completed_job
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import counts, summarise

CALLS = "select calls from pg_stat_xact_user_functions where funcname = $1"
PAUSES = [timedelta(minutes=minutes) for minutes in (1, 9, 10, 11, 40, 300, 2, 600, 25, 90)]  # 18 hours


async def test_ends_between_pauses_of_any_length_are_counted_in_their_minute(
    conn: Connection, clock: Clock
) -> None:
    ended = []
    for pause in PAUSES:
        await completed_job(conn)
        ended.append((await clock.now()).replace(second=0, microsecond=0))
        await clock.advance(pause)
    await summarise(conn)
    assert [(row["minute"], row["jobs"]) for row in await counts(conn, "end")] == [(at, 1) for at in ended]


async def test_a_day_without_work_takes_a_few_looks(conn: Connection, clock: Clock) -> None:
    """A look may read the index of a partition: one for every ten minutes took the first round of a new
    database all of its two seconds.
    """
    await completed_job(conn)
    await clock.advance(timedelta(minutes=2))
    await conn.execute("set local track_functions = 'all'")
    await summarise(conn)
    assert 1 <= await conn.fetchval(CALLS, "is_quiet") <= 20


async def test_minutes_that_are_counted_and_not_settled_are_not_read_again(
    conn: Connection, clock: Clock
) -> None:
    for _ in range(5):
        await completed_job(conn)
        await clock.advance(timedelta(minutes=1))
    await summarise(conn)
    await completed_job(conn)
    await conn.execute("set local track_functions = 'all'")
    before = await conn.fetchval(CALLS, "summarise_minutes") or 0  # of another test, if not yet sent
    for _ in range(3):
        await summarise(conn)
    # One more if a minute has just passed.
    assert 3 <= await conn.fetchval(CALLS, "summarise_minutes") - before <= 4
    assert [row["jobs"] for row in await counts(conn, "end")] == [1] * 6
