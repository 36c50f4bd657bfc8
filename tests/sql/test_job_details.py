"""What a page about one job shows besides its row."""

from uuid import UUID, uuid4

from holdfast.db import dead, jobs
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.job import JobDetails
from holdfast.model.payload import encode
from tests.builders import a_queue, a_worker, claim_one, complete, dead_job, fail, ready_job, running_job
from tests.stage_builders import a_pipeline, entered_job

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def details(conn: Connection, job: UUID) -> JobDetails:
    found = await jobs.get_details(conn, JobId(job))
    assert found is not None
    return found


async def test_a_live_and_an_ended_job_have_the_same_details(conn: Connection) -> None:
    job = await running_job(conn, trace=TRACE, retry=[1, 2])
    live = await details(conn, job.id)
    assert (live.trace, live.retry, live.max_failures) == ({"traceparent": TRACE}, {"delays": [1, 2]}, 3)
    assert await complete(conn, job)
    assert await details(conn, job.id) == live


async def test_the_policy_is_the_jobs_own_or_its_queues_or_the_default(conn: Connection) -> None:
    await a_queue(conn, "strict", max_failures=1)
    await a_queue(conn, "patient", retry=[5, 5, 5, 5])
    limits = {
        "strict": (await details(conn, await ready_job(conn, queue="strict"))).max_failures,
        "patient": (await details(conn, await ready_job(conn, queue="patient"))).max_failures,
        "own": (await details(conn, await ready_job(conn, queue="strict", max_failures=7))).max_failures,
    }
    assert limits == {"strict": 1, "patient": 5, "own": 7}
    assert (await details(conn, await ready_job(conn))).retry["tries"] == 3


async def test_what_is_kept_of_a_job_is_counted(conn: Connection) -> None:
    await a_pipeline(conn, "line", ["a", "b"])
    worker = await a_worker(conn, ["line.a", "line.b"])
    job = await entered_job(conn)
    first = await claim_one(conn, worker)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'half', '1')", first.id, first.token)
    await conn.execute(
        "select holdfast.save_logs(array[$1::uuid], array[1], array[$2::uuid], array[0], $3::json[])",
        first.id,
        first.token,
        ['[["2030-01-01T00:00:00Z", "INFO", "a", "one"], ["2030-01-01T00:00:00Z", "INFO", "a", "two"]]'],
    )
    await fail(conn, first, evidence="none")
    found = await details(conn, job)
    assert (found.pipeline, found.pipeline_version, found.visit) == ("line", 1, 1)
    assert (found.attempts, found.outputs, found.checkpoints, found.log_lines) == (1, 0, 1, 2)


async def test_a_replacement_names_the_job_it_stands_for(conn: Connection) -> None:
    job = await dead_job(conn)
    new = await dead.replace_job(conn, JobId(job.id), encode({"n": 2}), "wrong", "Ada")
    assert (await details(conn, new)).replaces == job.id
    assert (await details(conn, job.id)).replaces is None


async def test_the_runs_of_its_children_are_named(conn: Connection) -> None:
    job = await running_job(conn)
    run = await conn.fetchval(
        "select run from holdfast.spawn_children($1, $2, 'parts', array['t'], array['1'::json], '{}', 'all',"
        " 'fail')",
        job.id,
        job.token,
    )
    assert (await details(conn, job.id)).child_runs == [run]


async def test_the_rules_that_matched_are_told(conn: Connection) -> None:
    await conn.execute(
        "select holdfast.set_rule('queue', 'mail', 'vip', $1, 'test', 'Ada')",
        '{"condition": "true", "points": 20}',
    )
    found = await details(conn, await ready_job(conn, queue="mail"))
    assert found.rules is not None
    assert found.rules["rules"] == ["vip"]


async def test_nothing_is_told_of_an_unknown_job(conn: Connection) -> None:
    assert await jobs.get_details(conn, JobId(uuid4())) is None
