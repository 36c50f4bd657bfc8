"""Each violation is planted in tests/proof; here is what the verb itself promises."""

from datetime import timedelta
from uuid import uuid4

from holdfast.db import operator
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.testing.clock import install_fake_clock
from tests.builders import (
    a_queue,
    a_worker,
    claim_one,
    dead_job,
    fail,
    ready_job,
    running_job,
    scheduled_job,
    settle,
)
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job


async def test_a_sound_database_has_no_rows(conn: Connection) -> None:
    await dead_job(conn)
    assert await conn.fetch("select * from holdfast.check_invariants()") == []
    assert await conn.fetch("select * from holdfast.invariants") == []


async def test_it_looks_at_the_newest_up_to_a_number(conn: Connection) -> None:
    old = await ready_job(conn)
    await conn.execute("update holdfast.jobs set losses = 9 where id = $1", old)
    await ready_job(conn)
    names = "select name from holdfast.check_invariants($1) where name = 'too_many_losses'"
    assert len(await conn.fetch(names, 2)) == 1
    assert await conn.fetch(names, 1) == []


async def test_what_stands_still_is_a_violation_only_for_those_who_waited(conn: Connection) -> None:
    job = await scheduled_job(conn)
    await conn.execute("update holdfast.jobs set due_at = now() - interval '10 seconds' where id = $1", job)
    stuck = "select job from holdfast.check_invariants(100, $1::interval)"
    assert await conn.fetch(stuck, None) == []
    assert await conn.fetch(stuck, timedelta(minutes=1)) == []
    assert [row["job"] for row in await conn.fetch(stuck, timedelta(seconds=5))] == [job]


async def test_leases_do_not_overlap_even_if_the_clock_steps_back(conn: Connection) -> None:
    """A claim reads the clock before it sees the job: whoever gave it back in between did so later."""
    clock = await install_fake_clock(conn)
    worker = await a_worker(conn, lease=timedelta(hours=1), worker=uuid4())
    await ready_job(conn, retry={"delays": [0, 0]})
    first = await claim_one(conn, worker)
    before = await clock.now()
    await clock.advance(timedelta(seconds=1))
    assert await fail(conn, first)
    await clock.set(before)
    await claim_one(conn, worker)
    assert await conn.fetch("select * from holdfast.check_invariants()") == []


async def test_a_job_that_went_through_a_pipeline_held_each_lease_once(conn: Connection) -> None:
    """Its last attempt stands in history and with the output of its last stage: one lease, not two."""
    await a_pipeline(conn, stages=("a", "b"))
    worker, _ = await a_stage_worker(conn), await entered_job(conn)
    for _ in range(2):
        assert await settle(conn, await claim_one(conn, worker), "advance", {})
    assert await conn.fetch("select * from holdfast.check_invariants()") == []


async def test_events_from_before_the_new_names_are_no_gap_in_the_trail(conn: Connection) -> None:
    await a_queue(conn, "default", detail="full")
    await conn.execute("update holdfast.queues set full_since = '2020-01-01Z'")
    job = await running_job(conn)
    await operator.reclaim(conn, [JobId(job.id)], "it hangs", "Ada")
    await conn.execute("update holdfast.events set cause = 'take_back' where cause = 'reclaim'")
    assert await conn.fetch("select * from holdfast.check_invariants()") == []
