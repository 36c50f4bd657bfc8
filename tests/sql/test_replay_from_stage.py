"""An ended job starts its next generation at a chosen stage of its pipeline."""

from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, claim_one, complete, fail, ready_job, refusal, settle, state_of, the_job
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

FROM = "select result from holdfast.replay_from_stage($1, $2, 'look again', 'Ada')"


async def ended_at(conn: Connection, stage: str) -> UUID:
    """A job of the pipeline a, b, c that completed, or died where it is told."""
    job, worker = await entered_job(conn), await a_stage_worker(conn)
    for at in "abc":
        claimed = await claim_one(conn, worker)
        if at == stage:
            await fail(conn, claimed, "permanent")
            break
        await (
            complete(conn, claimed, f"done {at}")
            if at == "c"
            else settle(conn, claimed, "advance", None, f"done {at}")
        )
    return job


@pytest.mark.parametrize(("end", "stage"), [("b", "a"), ("b", "c"), ("completed", "b")])
async def test_it_starts_at_the_stage_with_its_task_queue_and_timeout_and_goes_on_from_there(
    conn: Connection, end: str, stage: str
) -> None:
    await a_pipeline(conn)
    await a_queue(conn, f"line.{stage}", timeout=90)
    job = await ended_at(conn, end)
    assert await conn.fetchval(FROM, [job], stage) == "replayed"
    row = await the_job(conn, job)
    assert (row["state"], row["stage"], row["task"], row["queue"]) == ("ready", stage, stage, f"line.{stage}")
    assert (row["generation"], row["failures"], row["timeout"].total_seconds()) == (2, 0, 90)
    worker = await a_stage_worker(conn)
    for at in "abc"["abc".index(stage) :]:
        claimed = await claim_one(conn, worker)
        assert (await the_job(conn, job))["stage"] == at
        await (
            complete(conn, claimed, "again") if at == "c" else settle(conn, claimed, "advance", None, "again")
        )
    assert await state_of(conn, job) == "completed"
    assert await conn.fetch("select * from holdfast.invariants") == []


async def test_the_trail_tells_from_where_and_outputs_of_earlier_stages_are_kept(conn: Connection) -> None:
    await a_pipeline(conn)
    job = await ended_at(conn, "completed")
    await conn.execute(FROM, [job], "b")
    (event,) = await conn.fetch(
        "select actor, reason, queue, detail from holdfast.events where job_id = $1 and cause = 'replay'", job
    )
    assert tuple(event) == ("Ada", "look again", "line.b", '{"stage": "b"}')
    ended = "select queue from holdfast.events where job_id = $1 and cause = 'end'"
    assert await conn.fetchval(ended, job) == "line.c"
    seen = await conn.fetch("select stage, output from holdfast.load_context($1)", job)
    assert [tuple(row) for row in seen] == [("a", '"done a"'), ("b", '"done b"'), ("c", '"done c"')]


async def test_what_another_stage_saved_is_forgotten(conn: Connection) -> None:
    await a_pipeline(conn)
    job, worker = await entered_job(conn), await a_stage_worker(conn)
    claimed = await claim_one(conn, worker)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'half', '1')", claimed.id, claimed.token)
    await fail(conn, claimed, "permanent")
    kept = "select count(*) from holdfast.checkpoints where job_id = $1"
    await conn.execute(FROM, [job], "a")
    assert await conn.fetchval(kept, job) == 1
    await fail(conn, await claim_one(conn, worker), "permanent")
    await conn.execute(FROM, [job], "b")
    assert await conn.fetchval(kept, job) == 0


async def test_an_unknown_stage_is_refused_with_those_there_are_and_nothing_is_replayed(
    conn: Connection,
) -> None:
    await a_pipeline(conn)
    job = await ended_at(conn, "b")
    await a_pipeline(conn, stages=["a", "d"])
    other = await ended_at(conn, "a")
    exc = await refusal(conn, FROM, [job, other], "d")
    assert exc.sqlstate == "HF002"
    assert f"The job {job} uses version 1 of the pipeline line, which has no stage d" in str(exc)
    assert exc.hint == "The stages of this version are a, b, c."
    assert [await state_of(conn, one) for one in (job, other)] == ["dead", "dead"]


async def test_a_job_without_a_pipeline_and_no_stage_are_refused(conn: Connection) -> None:
    job = await ready_job(conn)
    await conn.execute("select holdfast.cancel_jobs(array[$1]::uuid[])", job)
    exc = await refusal(conn, FROM, [job], "a")
    assert (exc.sqlstate, exc.hint) == ("HF002", "Replay the job without a stage.")
    assert f"The job {job} is in no pipeline" in str(exc)
    assert (await refusal(conn, FROM, [job], None)).sqlstate == "HF002"


async def test_a_branch_names_the_job_that_fanned_out(conn: Connection) -> None:
    await a_pipeline(conn)
    job, worker = await entered_job(conn), await a_stage_worker(conn)
    await settle(conn, await claim_one(conn, worker), "advance", {"stages": ["b"]})
    branch = await claim_one(conn, worker)
    await fail(conn, branch, "permanent")
    exc = await refusal(conn, FROM, [branch.id], "a")
    assert exc.hint == (
        f"This job is a branch of the job {job}. Replay the job {job} from a stage, or replay this branch"
        " without a stage."
    )


async def test_a_live_or_unknown_job_is_told_as_by_a_plain_replay(conn: Connection) -> None:
    await a_pipeline(conn)
    job = await entered_job(conn)
    assert await conn.fetchval(FROM, [job], "b") == "live"
    assert await conn.fetchval(FROM, [UUID(int=1)], "b") == "not_found"
