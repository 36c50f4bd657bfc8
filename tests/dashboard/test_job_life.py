"""The life of a job on a time axis, from what the database has recorded of it."""

import json
from datetime import timedelta
from uuid import UUID

import pytest
import pytest_asyncio

from holdfast.dashboard.job.life import Life, life_of
from holdfast.db import clock as database_clock
from holdfast.db import jobs, operator, stats
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.testing import install_fake_clock
from holdfast.testing.clock import FakeClock
from tests.builders import (
    Running,
    a_queue,
    a_worker,
    cancel,
    claim_one,
    complete,
    fail,
    ready_job,
    release,
    replay,
    settle,
    snooze,
)
from tests.dashboard.rich_job import RichJob
from tests.stage_builders import a_pipeline, signal

pytestmark = pytest.mark.usefixtures("clock")
LONG = timedelta(days=1)


@pytest_asyncio.fixture(loop_scope="session")
async def clock(conn: Connection) -> FakeClock:
    return await install_fake_clock(conn)


@pytest_asyncio.fixture(loop_scope="session")
async def worker(conn: Connection, clock: FakeClock) -> UUID:
    return await a_worker(conn, ["default", "line.a", "line.b"], lease=LONG)


async def life(conn: Connection, job: UUID, most: int = 1000) -> Life:
    found, details = await jobs.get_job(conn, JobId(job)), await jobs.get_details(conn, JobId(job))
    assert found is not None
    assert details is not None
    entries = await stats.timeline(conn, JobId(job), most)
    return life_of(found, details, entries, await database_clock.now(conn))


def told(found: Life) -> list[tuple[str, float | None]]:
    """Each row with its seconds."""
    return [
        (row.words, None if row.took is None else round(row.took.total_seconds(), 1)) for row in found.rows
    ]


def portions(found: Life) -> dict[str, float]:
    return {one.words: round(one.length.total_seconds(), 1) for one in found.portions}


def covered(found: Life) -> float:
    """Seconds that the portions explain."""
    return sum(portions(found).values())


async def promoted(conn: Connection, clock: FakeClock, after: float) -> None:
    await clock.advance(after)
    await conn.execute("select holdfast.promote_jobs()")


async def claimed_after(conn: Connection, clock: FakeClock, worker: UUID, seconds: float) -> Running:
    await clock.advance(seconds)
    return await claim_one(conn, worker)


async def test_a_plain_life_is_a_wait_and_an_attempt(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    job = await ready_job(conn)
    held = await claimed_after(conn, clock, worker, 5)
    await clock.advance(2)
    assert await complete(conn, held)
    await clock.advance(100)
    found = await life(conn, job)
    assert told(found) == [("Enqueued", None), ("Waited in line", 5), ("Attempt 1", 2), ("Completed", None)]
    assert portions(found) == {"In line": 5, "Ran": 2}
    assert not found.axis.is_open
    assert found.length.total_seconds() == pytest.approx(7, abs=0.01)


async def test_a_delay_is_told_apart_from_the_line(conn: Connection, clock: FakeClock, worker: UUID) -> None:
    job = await ready_job(conn, delay=timedelta(seconds=30))
    assert told(await life(conn, job)) == [("Enqueued", None)]
    await clock.advance(10)
    assert told(await life(conn, job)) == [("Enqueued", None), ("Is not due yet", 10)]
    await promoted(conn, clock, 25)
    await claimed_after(conn, clock, worker, 5)
    await clock.advance(1)
    found = await life(conn, job)
    assert told(found)[1:] == [("Was not due yet", 35), ("Waited in line", 5), ("Attempt 1", 1)]
    assert found.rows[-1].note == "runs"


async def test_a_failure_a_backoff_and_the_line_again(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    job = await ready_job(conn, retry={"delays": [60, 60]})
    held = await claimed_after(conn, clock, worker, 1)
    await clock.advance(3)
    await fail(conn, held, message="no route", evidence="none")
    await clock.advance(20)
    found = await life(conn, job)
    assert told(found)[2:] == [("Attempt 1", 3), ("Backoff", 20)]
    assert found.rows[2].fault is not None
    assert (found.rows[2].fault.kind, found.rows[2].fault.message) == ("ValueError", "no route")
    assert found.rows[2].note.endswith("failed, 1 of 3")
    await promoted(conn, clock, 40)
    await clock.advance(7)
    found = await life(conn, job)
    assert told(found)[2:] == [("Attempt 1", 3), ("Backoff", 60), ("Waits in line", 7)]
    assert portions(found) == {"In line": 8, "Put off": 60, "Ran": 3}


async def test_the_time_between_an_end_and_a_replay_is_no_wait(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    job = await ready_job(conn)
    await fail(conn, await claimed_after(conn, clock, worker, 1), error_class="permanent")
    await clock.advance(1000)
    await replay(conn, job)
    await complete(conn, await claimed_after(conn, clock, worker, 2))
    await clock.advance(1000)
    await replay(conn, job)
    await clock.advance(4)
    found = await life(conn, job)
    words = [row.words for row in found.rows]
    assert words.count("Replayed") == 2
    assert (words.count("Dead"), words.count("Completed")) == (1, 1)
    assert portions(found) == {"In line": 5, "Not recorded": 2}, "a replay forgets when the attempt began"


@pytest.mark.parametrize("detail", ["basic", "full"])
async def test_a_wait_for_a_signal_is_named(
    conn: Connection, clock: FakeClock, worker: UUID, detail: str
) -> None:
    await a_queue(conn, detail=detail)
    job = await ready_job(conn)
    held = await claimed_after(conn, clock, worker, 1)
    await clock.advance(2)
    await settle(conn, held, "wait", {"for": "signal:approval"})
    await clock.advance(50)
    assert told(await life(conn, job))[-1] == ("Waits for the signal approval", 50)
    await signal(conn, job)
    await clock.advance(5)
    found = await life(conn, job)
    assert told(found)[-3:] == [
        ("Waited for the signal approval", 50),
        ("Signal approval", None),
        ("Waits in line", 5),
    ]
    assert covered(found) == 58, "all of its time"
    if detail == "full":
        assert portions(found) == {"In line": 6, "Waited": 50, "Ran": 2}


async def test_what_no_record_tells_is_not_made_up(conn: Connection, clock: FakeClock, worker: UUID) -> None:
    """At detail basic a snooze leaves no record of its attempt."""
    job = await ready_job(conn)
    await snooze(conn, await claimed_after(conn, clock, worker, 1), timedelta(seconds=60))
    await promoted(conn, clock, 61)
    await complete(conn, await claimed_after(conn, clock, worker, 2))
    found = await life(conn, job)
    assert [row.words for row in found.rows] == [
        "Enqueued",
        "Put off",
        "Waited in line",
        "Attempt 2",
        "Completed",
    ]
    assert found.rows[1].note == "1 attempt left no record"


async def test_a_release_is_told_with_its_reason(conn: Connection, clock: FakeClock, worker: UUID) -> None:
    await a_queue(conn, detail="full")
    job = await ready_job(conn)
    held = await claimed_after(conn, clock, worker, 1)
    await clock.advance(4)
    await settle(conn, held, "release", {"reason": "the worker leaves"})
    await clock.advance(1)
    found = await life(conn, job)
    assert told(found)[1:] == [("Waited in line", 1), ("Attempt 1", 4), ("Waits in line", 1)]
    assert found.rows[2].note == "released, the worker leaves"


async def test_an_attempt_whose_start_is_not_recorded_says_so(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    job = await ready_job(conn)
    held = await claimed_after(conn, clock, worker, 1)
    await clock.advance(4)
    await release(conn, held)
    await clock.advance(1)
    found = await life(conn, job)
    assert told(found)[1:] == [("In line, then tried", 5), ("Attempt 1", None), ("Waits in line", 1)]
    assert portions(found) == {"In line": 1, "Not recorded": 5}


async def test_a_job_that_is_cancelled_in_line_ran_never(conn: Connection, clock: FakeClock) -> None:
    job = await ready_job(conn)
    await clock.advance(8)
    await cancel(conn, job)
    found = await life(conn, job)
    assert [row.words for row in found.rows] == [
        "Enqueued",
        "Waited in line",
        "Cancel asked for",
        "Cancelled",
    ]
    assert portions(found) == {"In line": 8}


async def test_stages_are_headings_over_their_waits_attempts_and_calls(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    await a_pipeline(conn, "line", ["a", "b"])
    job = await ready_job(conn, pipeline="line")
    first = await claimed_after(conn, clock, worker, 2)
    await clock.advance(3)
    call = {"kind": "model", "name": "gemma", "seconds": 2, "units": 400, "finish_reason": "stop"}
    await conn.execute("select holdfast.save_call($1, $2, $3)", first.id, first.token, json.dumps(call))
    await settle(conn, first, "advance", {"stage": "b"}, {"n": 1})
    await clock.advance(7)
    found = await life(conn, job)
    assert told(found) == [
        ("Enqueued", None),
        ("a", 5),
        ("Waited in line", 2),
        ("Attempt 1", 3),
        ("Model call", 2),
        ("b", 7),
        ("Waits in line", 7),
    ]
    assert [row.level for row in found.rows] == [0, 0, 1, 1, 2, 0, 1]
    assert found.rows[1].note == "visit 1, went on to b"
    assert found.rows[4].note == "gemma, 400 units, stop"


async def test_a_loop_back_to_a_stage_is_another_visit(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    await a_pipeline(conn, "line", ["a", "b"])
    job = await ready_job(conn, pipeline="line")
    for stage in ("b", "a", "b"):
        await settle(conn, await claimed_after(conn, clock, worker, 1), "advance", {"stage": stage})
    await clock.advance(1)
    stages = [(row.words, row.note) for row in (await life(conn, job)).rows if row.is_stage]
    assert [words for words, _ in stages] == ["a", "b", "a", "b"]
    assert stages[2][1] == "visit 3, went on to b"


async def test_the_rich_job_is_explained_to_the_second(conn: Connection, clock: FakeClock) -> None:
    job = await RichJob(conn, clock).play()
    found = await life(conn, job)
    assert covered(found) == pytest.approx(found.length.total_seconds(), abs=0.5)
    assert [row.words for row in found.rows if row.is_stage] == ["triage", "research"]
    assert len([row for row in found.rows if row.fault]) == 2


async def test_of_a_long_life_the_latest_part_is_drawn_and_the_rest_counted(
    conn: Connection, clock: FakeClock
) -> None:
    job = await ready_job(conn)
    for number in range(250):
        await clock.advance(1)
        await operator.set_priority(conn, [JobId(job)], number % 100, f"step {number}", "Ada")
    found = await life(conn, job)
    assert (found.earlier, found.is_more) == (51, False)
    assert len(found.rows) <= 201
    assert found.length == timedelta(seconds=199)
    assert (await life(conn, job, most=1000)).rows[-1].note == "by Ada: step 249"


async def test_an_attempt_that_has_made_many_calls_still_runs(
    conn: Connection, clock: FakeClock, worker: UUID
) -> None:
    job = await ready_job(conn)
    held = await claimed_after(conn, clock, worker, 1)
    call = json.dumps({"kind": "tool", "name": "search", "seconds": 1})
    for _ in range(250):
        await clock.advance(1)
        await conn.execute("select holdfast.save_call($1, $2, $3)", held.id, held.token, call)
    found = await life(conn, job)
    assert [row.note for row in found.rows if row.words == "Attempt 1"] == ["runs"]
    assert (found.earlier, portions(found)) == (51, {"Ran": 199})
