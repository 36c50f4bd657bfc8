"""Each finished day of the audit trail becomes one row that contains the seal before."""

from datetime import timedelta
from hashlib import sha256

import pytest

from holdfast.db.connect import Connection, Database
from tests.builders import a_queue, cancelled_job, completed_job, dead_job, refusal, rejected_job
from tests.sql.audit_trail import DAY, act, seal, sealed_days, seals, statuses
from tests.sql.conftest import Clock

# A row with every kind of value, and its text as every version must write it.
GOLDEN = """
insert into holdfast.events (id, at, cause, job_id, run_id, queue, from_state, to_state, attempt,
  worker_id, actor, reason, detail, login)
overriding system value
values (7, '2030-01-31 09:00:00.000001+00', 'end', '00000000-0000-0000-0000-000000000001',
  '00000000-0000-0000-0000-000000000002', 'q', 'running', 'dead', 3,
  '00000000-0000-0000-0000-000000000003', 'Zoë "Z"',
  E'two\nlines', '{"b": 1.50, "a": [null, true, 1e3, "ü"]}', 'postgres/ops')
"""
GOLDEN_TEXT = (
    '[7, "1896080400.000001", "end", "00000000-0000-0000-0000-000000000001",'
    ' "00000000-0000-0000-0000-000000000002", "q", "running", "dead", 3,'
    ' "00000000-0000-0000-0000-000000000003", "Zoë \\"Z\\"", "two\\nlines",'
    ' {"a": [null, true, 1000, "ü"], "b": 1.50}, "postgres/ops"]'
)


async def test_the_day_of_today_is_not_sealed(conn: Connection, clock: Clock) -> None:
    await act(conn)
    assert await seal(conn) == (0, 0)
    await clock.advance(DAY)
    assert await seal(conn) == (1, 1)
    assert await seal(conn) == (0, 0)


async def test_each_seal_contains_the_one_before(conn: Connection, clock: Clock) -> None:
    await sealed_days(conn, clock)
    rows = await conn.fetch("select previous, seal, events from holdfast.seal_view order by day")
    assert [row["previous"] for row in rows] == ["0" * 64, *(row["seal"] for row in rows[:-1])]
    assert len({row["seal"] for row in rows}) == 3
    assert [row["events"] for row in rows] == [3, 3, 3]


async def test_days_without_events_have_a_seal_too(conn: Connection, clock: Clock) -> None:
    await act(conn)
    await clock.advance(3 * DAY)
    await act(conn)
    await clock.advance(DAY)
    assert await seal(conn) == (4, 2)
    counts = await conn.fetch("select events from holdfast.seal_view order by day")
    assert [row["events"] for row in counts] == [1, 0, 0, 1]
    assert set(await statuses(conn)) == {"intact"}


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
async def test_the_seal_does_not_depend_on_the_size_of_a_batch(
    conn: Connection, clock: Clock, limit: int
) -> None:
    await sealed_days(conn, clock)
    whole = await seals(conn)
    await conn.execute("delete from holdfast.event_seals")
    total = 0
    while len(await seals(conn)) < 3:
        _, events = await seal(conn, limit)
        assert events <= limit
        total += events
    assert total == 9
    assert await seals(conn) == whole


async def test_bad_ends_and_actions_are_sealed_and_other_transitions_are_not(
    conn: Connection, clock: Clock
) -> None:
    queue = await a_queue(conn, "q", detail="full")
    for make in (completed_job, rejected_job, dead_job, cancelled_job):
        await make(conn, queue=queue)
    rows = await conn.fetch("select cause, to_state from holdfast.audit_view order by id")
    assert [tuple(row) for row in rows] == [
        ("declare_queue", None),
        ("end", "rejected"),
        ("end", "dead"),
        ("end", "cancelled"),
        ("cancel", "cancelled"),
    ]
    await clock.advance(DAY)
    assert await seal(conn) == (1, 5)


async def test_a_row_has_the_same_text_with_any_settings_of_the_session(conn: Connection) -> None:
    await conn.execute(GOLDEN)
    for setting in (
        "set local timezone to 'Asia/Kathmandu'",
        "set local datestyle to 'German, DMY'",
        "set local extra_float_digits to -15",
        "set local intervalstyle to 'sql_standard'",
        "set local bytea_output to 'escape'",
    ):
        await conn.execute(setting)
    assert (
        await conn.fetchval("select holdfast.event_text(e) from holdfast.events as e where id = 7")
        == GOLDEN_TEXT
    )
    assert (
        await conn.fetchval("select encode(digest, 'hex') from holdfast.digest_events(0, 7, 1, '')")
        == sha256(GOLDEN_TEXT.encode()).hexdigest()
    )


async def test_an_event_with_an_earlier_time_than_the_newest_seal_goes_into_the_next(
    conn: Connection, clock: Clock
) -> None:
    """A clock may be set back, for example by a failover."""
    await sealed_days(conn, clock, days=2)
    await clock.advance(-2 * DAY)
    await act(conn)
    await clock.advance(3 * DAY)
    assert await seal(conn) == (1, 4)
    assert await statuses(conn) == ["intact"] * 3


async def test_an_event_of_the_future_does_not_hold_up_the_days_before_it(
    conn: Connection, clock: Clock
) -> None:
    await act(conn)
    await clock.advance(100 * DAY)
    await act(conn)
    await clock.advance(-100 * DAY)
    await act(conn)
    await clock.advance(DAY)
    assert await seal(conn) == (1, 3)


async def test_an_older_snapshot_is_refused(db: Database) -> None:
    async with db.connection() as conn, conn.transaction(isolation="repeatable_read"):
        assert (await refusal(conn, "select holdfast.seal_events()")).sqlstate == "HF002"


async def test_bad_ends_stay_when_their_job_is_pruned(conn: Connection, clock: Clock) -> None:
    queue = await a_queue(conn, "q", detail="full", retention="1 day")
    job = await rejected_job(conn, queue=queue)
    await clock.advance(timedelta(days=2))
    await seal(conn)
    assert await conn.fetchval("select jobs from holdfast.prune_jobs()") == 1
    left = await conn.fetch("select to_state from holdfast.events where job_id = $1", job.id)
    assert [row["to_state"] for row in left] == ["rejected"]
    assert set(await statuses(conn)) == {"intact"}
