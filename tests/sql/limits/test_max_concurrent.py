"""How many jobs of a queue or task run at once, on any number of workers."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, complete, fail, ready_jobs, release, rescue
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, assert_balanced, claimed, told_to_wait
from tests.sql.limits.scene import a_task, lane_tasks, running


async def test_a_queue_runs_no_more_than_it_may_with_two_workers(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=3)
    await ready_jobs(conn, 10)
    first, second = await a_worker(conn), await a_worker(conn)
    assert len(await claim(conn, first, 2)) == 2
    assert len(await claim(conn, second, 10)) == 1
    assert await claim(conn, first, 10) == []


async def test_an_end_of_any_kind_makes_room(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=1)
    await ready_jobs(conn, 5, retry=[100])
    worker = await a_worker(conn)
    for end in (complete, fail, release):
        (job,) = await claim(conn, worker, 10)
        await end(conn, job)
    await claim(conn, worker, 10)
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 s'")
    await rescue(conn)
    assert len(await claim(conn, await a_worker(conn), 10)) == 1


async def test_two_stages_of_two_share_a_server_of_eight(conn: Connection) -> None:
    await a_fixed_endpoint(conn, limit=8)
    for queue in ("research", "writing"):
        await a_queue(conn, queue, endpoint="model", max_concurrent=2)
        await ready_jobs(conn, 20, queue=queue)
    await ready_jobs(conn, 20, queue="other", endpoint="model")
    await claimed(conn, await a_caller(conn, "research", "writing"))
    assert [await running(conn, queue) for queue in ("research", "writing")] == [2, 2]
    assert len(await claimed(conn, await a_caller(conn, "research", "other"))) == 4, "the rest of the eight"
    await assert_balanced(conn)


async def test_a_refused_claim_locks_nothing_and_says_when_to_ask_again(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=1)
    await ready_jobs(conn, 2)
    worker = await a_caller(conn)
    await claimed(conn, worker)
    before = await conn.fetchrow("select xmax::text, ctid::text from holdfast.limits")
    assert await told_to_wait(conn, worker) == 0.5
    assert await conn.fetchrow("select xmax::text, ctid::text from holdfast.limits") == before


async def test_a_task_runs_no_more_than_it_may_in_all_queues(conn: Connection) -> None:
    await a_task(conn, "heavy", max_concurrent=2)
    for queue in ("a", "b"):
        await ready_jobs(conn, 5, task="heavy", queue=queue)
        await ready_jobs(conn, 5, task="light", queue=queue)
    jobs = await claim(conn, await a_worker(conn, ["a", "b"]), 100)
    tasks = await conn.fetch("select task from holdfast.jobs where id = any($1)", [job.id for job in jobs])
    assert sorted(row["task"] for row in tasks) == ["heavy"] * 2 + ["light"] * 10


async def test_limits_of_queue_and_task_both_hold(conn: Connection) -> None:
    await a_queue(conn, "a", max_concurrent=3)
    await a_task(conn, "heavy", max_concurrent=5)
    await ready_jobs(conn, 10, task="heavy", queue="a")
    await ready_jobs(conn, 10, task="heavy", queue="b")
    await claim(conn, await a_worker(conn, ["a", "b"]), 100)
    assert await running(conn) == 5
    assert await running(conn, "a") <= 3


async def test_raised_lowered_and_taken_off_at_run_time(conn: Connection) -> None:
    await ready_jobs(conn, 20)
    worker = await a_worker(conn)
    await claim(conn, worker, 3)
    await a_queue(conn, max_concurrent=5)
    assert len(await claim(conn, worker, 20)) == 2, "those that ran before are counted"
    await a_queue(conn, max_concurrent=2)
    assert await claim(conn, worker, 20) == []
    await a_queue(conn, max_concurrent=6)
    assert len(await claim(conn, worker, 20)) == 1
    await a_queue(conn, max_concurrent=None)
    assert len(await claim(conn, worker, 20)) == 14


async def test_a_limit_that_is_set_moves_the_jobs_of_its_task_and_takes_them_back_to_its_lane(
    conn: Connection,
) -> None:
    jobs = await ready_jobs(conn, 3, task="heavy", retry=[0])
    worker = await a_worker(conn)
    (before,) = await claim(conn, worker, 1)
    await a_task(conn, "heavy", max_concurrent=1)
    assert await lane_tasks(conn, *jobs) == ["heavy"] * 3
    assert await claim(conn, worker, 10) == []
    await release(conn, before)
    assert await lane_tasks(conn, *jobs) == ["heavy"] * 3
    (again,) = await claim(conn, worker, 10)
    await conn.execute(
        "select holdfast.advance_jobs($1, $2, $3, $4)",
        [again.id], [again.token], ['"x"'], ['{"stage": "next", "queue": "default", "task": "light"}'],
    )  # fmt: skip
    assert await lane_tasks(conn, again.id) == [""]
    assert {job.id for job in await claim(conn, worker, 10)} >= {again.id}


async def test_a_replayed_job_comes_back_to_the_lane_of_its_limited_task(conn: Connection) -> None:
    (job,) = await ready_jobs(conn, 1, task="heavy")
    worker = await a_worker(conn)
    await complete(conn, (await claim(conn, worker))[0])
    await a_task(conn, "heavy", max_concurrent=1)
    await conn.execute("select holdfast.replay_jobs($1)", [job])
    assert await lane_tasks(conn, job) == ["heavy"]


async def test_a_task_without_its_limit_keeps_its_lanes_and_runs_freely(conn: Connection) -> None:
    await a_task(conn, "heavy", max_concurrent=1)
    jobs = await ready_jobs(conn, 4, task="heavy")
    await a_task(conn, "heavy")
    assert await lane_tasks(conn, *jobs) == ["heavy"] * 4
    assert len(await claim(conn, await a_worker(conn), 10)) == 4
