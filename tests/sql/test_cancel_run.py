"""A run is cancelled as a whole."""

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_sealed_run,
    a_worker,
    an_open_run,
    claim_one,
    complete,
    ready_job,
    ready_jobs,
    refusal,
    settle,
    state_of,
    the_run,
)

CANCEL = "select holdfast.cancel_run($1, 'enough', 'Ada')"


async def test_what_does_not_run_is_cancelled_and_what_runs_is_asked(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 3, run=run)
    other = await ready_job(conn)
    running = await claim_one(conn, await a_worker(conn))
    assert await conn.fetchval(CANCEL, run) == 3
    assert await conn.fetchval(CANCEL, run) == 0
    assert (await the_run(conn, run))["state"] == "sealed"
    assert await state_of(conn, other) == "ready"
    await settle(conn, running, "cancel")
    await conn.execute("select holdfast.close_runs()")
    row = await the_run(conn, run)
    assert (row["state"], row["cancelled"], row["total"]) == ("cancelled", 3, 3)


async def test_a_cancelled_run_takes_no_more_jobs(conn: Connection) -> None:
    run = await an_open_run(conn)
    await conn.execute(CANCEL, run)
    assert (await refusal(conn, "select holdfast.enqueue('t', run => $1)", run)).sqlstate == "HF005"
    assert (await the_run(conn, run))["state"] == "cancelled"


async def test_a_run_that_has_ended_stays_as_it_ended(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, 1)
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    await conn.execute("select holdfast.close_runs()")
    assert await conn.fetchval(CANCEL, run) == 0
    assert (await the_run(conn, run))["state"] == "ended"


async def test_a_full_audit_trail_has_the_end_and_then_who_asked_for_it(conn: Connection) -> None:
    run = await an_open_run(conn)
    job = await ready_job(conn, queue=await a_queue(conn, "full", detail="full"), run=run)
    await conn.execute(CANCEL, run)
    trail = await conn.fetch(
        "select cause, from_state from holdfast.events where job_id = $1 order by id", job
    )
    assert [tuple(event) for event in trail] == [("enqueue", None), ("end", "ready"), ("cancel", "ready")]
    assert await conn.fetch("select * from holdfast.check_invariants()") == []


async def test_a_large_run_is_cancelled_in_batches(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 25, run=run)
    batches = []
    while count := await conn.fetchval("select holdfast.cancel_run($1, max => 10)", run):
        batches.append(count)
    assert batches == [10, 10, 5]
    assert (await the_run(conn, run))["state"] == "cancelled"
