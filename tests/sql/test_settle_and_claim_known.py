"""settle_and_claim_known: only known tasks, as many as fit, none for a worker that drains."""

from datetime import timedelta
from uuid import UUID, uuid4

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_worker, attempts_of, claim_one, ready_job, ready_jobs, state_of, the_job
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

TURN = "select * from holdfast.settle_and_claim_known($1, $2, $3, $4, $5, $6::json[], $7::jsonb[], $8)"


async def turn(
    conn: Connection,
    worker: UUID,
    n: int = 10,
    ends: list[tuple[UUID, UUID, str]] | None = None,
    time_box: timedelta | None = None,
) -> list[Record]:
    ids, tokens, verbs = ([end[place] for end in ends or []] for place in range(3))
    return await conn.fetch(TURN, worker, n, ids, tokens, verbs, [], [], time_box)


def kinds(rows: list[Record]) -> list[str]:
    return [row["kind"] for row in rows]


async def test_jobs_of_other_tasks_are_deferred_for_other_workers(conn: Connection) -> None:
    worker = await a_worker(conn, tasks=["mail"])
    mine, other = await ready_job(conn, task="mail"), await ready_job(conn, task="bill")
    rows = await turn(conn, worker)
    assert [row["job_id"] for row in rows if row["kind"] == "job"] == [mine]
    assert await state_of(conn, other) == "scheduled"
    (attempt,) = await attempts_of(conn, other)
    assert (attempt["error_type"], attempt["counted"]) == ("UnknownTask", False)


async def test_a_worker_without_a_list_of_tasks_gets_all(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn, task="mail")
    await ready_job(conn, task="bill")
    assert sorted(row["task"] for row in await turn(conn, worker) if row["kind"] == "job") == ["bill", "mail"]


async def test_a_time_box_limits_how_many_jobs_are_claimed(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_jobs(conn, 20)
    rows = await turn(conn, worker, 20, time_box=timedelta(seconds=20))
    assert kinds(rows).count("job") == 10, "without statistics"


async def test_a_worker_that_drains_ends_its_jobs_and_gets_no_other(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_jobs(conn, 2)
    job = await claim_one(conn, worker)
    await conn.execute("select holdfast.drain_workers($1, null, 'deploy', 'Ada')", [worker])
    assert kinds(await turn(conn, worker, 10, [(job.id, job.token, "complete")])) == ["drain"]
    assert await state_of(conn, job.id) == "completed"


async def test_to_complete_a_job_at_a_stage_moves_it_to_the_next(conn: Connection) -> None:
    await a_pipeline(conn, stages=("a", "b"))
    worker = await a_stage_worker(conn)
    id_ = await entered_job(conn)
    job = await claim_one(conn, worker)
    rows = await turn(conn, worker, 1, [(job.id, job.token, "complete")])
    assert [(row["job_id"], row["stage"]) for row in rows] == [(id_, "b")]
    last = (rows[0]["job_id"], rows[0]["token"], "complete")
    assert kinds(await turn(conn, worker, 1, [last])) == ["next"]
    assert (await the_job(conn, id_))["state"] == "completed"


async def test_a_stale_end_is_lost_and_a_worker_without_a_lease_gets_nothing(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    job = await claim_one(conn, worker)
    await conn.execute("select holdfast.stop_worker($1)", worker)
    assert kinds(await turn(conn, worker, 1, [(job.id, job.token, "complete")])) == ["lost", "lapsed"]


async def test_an_end_that_was_made_before_is_repeated_and_not_lost(conn: Connection) -> None:
    worker = await a_worker(conn)
    for verb in ("complete", "reject", "fail", "release"):
        await ready_job(conn)
        job = await claim_one(conn, worker)
        end = (job.id, job.token, verb)
        assert "lost" not in kinds(await turn(conn, worker, 0, [end]))
        again = "lost" if verb == "release" else "repeated"  # of which no record has the token
        assert again in kinds(await turn(conn, worker, 0, [end])), verb
        assert "lost" in kinds(await turn(conn, worker, 0, [(job.id, uuid4(), verb)])), verb
        await conn.execute("select holdfast.cancel_jobs(array[$1::uuid], 'over', 'Ada')", job.id)
