"""What ended and failed, minute by minute."""

from datetime import timedelta

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from tests.builders import completed_job, dead_job
from tests.sql.conftest import Clock
from tests.sql.summarise_ends.scene import many_counts, summarise

HOUR = timedelta(hours=1)


async def test_each_minute_and_queue_has_a_row_newest_first(conn: Connection, clock: Clock) -> None:
    await clock.stand()  # else a job may end in another minute than it was enqueued in
    await completed_job(conn, queue="a")
    await clock.advance(timedelta(minutes=2))
    await dead_job(conn, queue="b")
    await summarise(conn)
    newest, oldest = await stats.stats_by_minute(conn, HOUR)
    assert (newest.queue, newest.enqueued, newest.ended, newest.dead, newest.failed) == ("b", 1, 1, 1, 1)
    assert (oldest.queue, oldest.completed, oldest.is_hour) == ("a", 1, False)
    assert newest.minute > oldest.minute
    assert [row.queue for row in await stats.stats_by_minute(conn, HOUR, "a")] == ["a"]
    await clock.advance(HOUR)
    assert await stats.stats_by_minute(conn, HOUR) == []


@pytest.mark.slow
async def test_rows_that_were_left_out_are_told(conn: Connection) -> None:
    await many_counts(conn, 200_001)
    cut = await stats.stats_by_minute(conn, HOUR)
    assert (len(cut), cut[0].is_partial) == (200_000, True)
    (whole,) = await stats.stats_by_minute(conn, HOUR, "q1")
    assert not whole.is_partial
