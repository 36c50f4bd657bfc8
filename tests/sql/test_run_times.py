"""How long attempts took lately."""

from datetime import timedelta

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import completed_job

INSERT = """
insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
values (date_trunc('minute', holdfast.now()) - $1::interval, $2, 'task', $3, $4::integer, 0, '{}', $5::jsonb)
"""


async def times(
    conn: Connection, *queues: str
) -> tuple[int, timedelta | None, timedelta | None, timedelta | None]:
    (row,) = await conn.fetch("select jobs, mean, p50, p95 from holdfast.run_times($1)", list(queues))
    return row["jobs"], row["mean"], row["p50"], row["p95"]


async def test_nothing_is_known_of_a_queue_that_did_nothing(conn: Connection) -> None:
    assert await times(conn, "default") == (0, None, None, None)


async def test_mean_and_percentiles_come_from_what_completed_in_the_last_hour(conn: Connection) -> None:
    """A bucket of tenth 20 is 100 to 126 ms, one of 30 ten times as long."""
    minute = timedelta(minutes=1)
    await conn.execute(INSERT, 5 * minute, "default", "completed", 90, '{"20": 90}')
    await conn.execute(INSERT, 6 * minute, "default", "completed", 10, '{"30": 10}')
    await conn.execute(INSERT, 6 * minute, "default", "dead", 500, '{"50": 500}')
    await conn.execute(INSERT, 6 * minute, "other", "completed", 500, '{"50": 500}')
    await conn.execute(INSERT, 90 * minute, "default", "completed", 500, '{"50": 500}')
    jobs, mean, p50, p95 = await times(conn, "default")
    assert jobs == 100
    assert mean is not None
    assert p50 is not None
    assert p95 is not None
    assert 0.19 < mean.total_seconds() < 0.24
    assert 0.1 < p50.total_seconds() < 0.13
    assert 1 < p95.total_seconds() < 1.3


async def test_without_an_hour_of_work_all_ends_are_looked_at(conn: Connection) -> None:
    clock = await install_fake_clock(conn)
    await completed_job(conn)
    await clock.advance("2h")
    await conn.execute("select holdfast.summarise_ends()")
    jobs, _, p50, _ = await times(conn, "default")
    assert (jobs, p50 is not None) == (1, True)
