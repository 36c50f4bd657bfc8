"""Jobs whose worker vanished are suspects: whoever claims one gets it alone."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_queue,
    a_worker,
    claim,
    claim_one,
    complete,
    expire_worker,
    fail,
    ready_job,
    ready_jobs,
    release,
    renew,
    rescue,
    settle,
    snooze,
    state_of,
    the_job,
)
from tests.sql.conftest import Clock

IS_SUSPECT = "select is_suspect from holdfast.jobs join holdfast.lanes using (lane) where id = $1"
SAVE = "select holdfast.save_checkpoint($1, $2, 'place', $3)"


async def is_suspect(conn: Connection, job: object) -> bool:
    return bool(await conn.fetchval(IS_SUSPECT, job))


async def lost_together(conn: Connection, count: int, **options: object) -> list[Running]:
    worker = await a_worker(conn)
    await ready_jobs(conn, count, **options)
    jobs = await claim(conn, worker, count)
    await lose(conn, jobs[0])
    return jobs


async def lose(conn: Connection, job: Running) -> None:
    await expire_worker(conn, job.worker)
    await rescue(conn)


async def test_a_worker_gets_one_suspect_and_nothing_else_until_that_ends(conn: Connection) -> None:
    await lost_together(conn, 3)
    await ready_jobs(conn, 5)
    worker = await a_worker(conn)
    (first,) = await claim(conn, worker, 10)
    assert await is_suspect(conn, first.id)
    assert await claim(conn, worker, 10) == []
    assert await complete(conn, first)
    (second,) = await claim(conn, worker, 10)
    assert await is_suspect(conn, second.id)


async def test_a_busy_worker_finishes_what_it_runs_before_it_takes_a_suspect(conn: Connection) -> None:
    busy = await a_worker(conn)
    await ready_jobs(conn, 1)
    job = await claim_one(conn, busy)
    await lost_together(conn, 2)
    await ready_jobs(conn, 5)
    assert await claim(conn, busy, 10) == []
    await complete(conn, job)
    (suspect,) = await claim(conn, busy, 10)
    assert await is_suspect(conn, suspect.id)


async def test_a_suspect_that_cannot_start_keeps_no_worker_from_other_work(conn: Connection) -> None:
    await conn.execute("select holdfast.declare_endpoint('model', '{}')")
    await lost_together(conn, 2, endpoint="model")
    await conn.execute("select holdfast.open_endpoint('model', 'an outage', 'Ada')")
    await ready_jobs(conn, 5)
    busy = await a_worker(conn)
    assert len(await claim(conn, busy, 3)) == 3
    assert len(await claim(conn, busy, 3)) == 2


async def test_a_worker_with_children_leaves_suspects_to_them(conn: Connection) -> None:
    lost = await lost_together(conn, 2)
    plain = await ready_job(conn)
    parent, child = await a_worker(conn, isolation="children"), await a_worker(conn, isolation="only")
    assert [job.id for job in await claim(conn, parent, 10)] == [plain]
    (mine,) = await claim(conn, child, 10)
    assert mine.id in [job.id for job in lost]
    assert await claim(conn, child, 10) == []


async def test_only_the_first_loss_in_company_counts(conn: Connection) -> None:
    """A job that snoozes is a suspect no longer, and may be lost beside a culprit again and again."""
    victim, *_ = await lost_together(conn, 2)
    for _ in range(5):
        worker = await a_worker(conn)
        for _ in range(2):
            job = await claim_one(conn, worker)
            if job.id == victim.id:
                await snooze(conn, job, timedelta(0))
            else:
                await complete(conn, job)
        await ready_job(conn)
        together = await claim(conn, worker, 2)
        assert victim.id in [job.id for job in together]
        await lose(conn, together[0])
        row = await the_job(conn, victim.id)
        assert (row["state"], row["losses"]) == ("ready", 1)


async def test_a_culprit_is_dead_after_its_losses_and_its_neighbour_is_not(conn: Connection) -> None:
    culprit, neighbour = await lost_together(conn, 2)
    for _ in range(2):
        worker = await a_worker(conn)
        while (job := await claim_one(conn, worker)).id != culprit.id:
            await complete(conn, job)
        await lose(conn, job)
    assert [await state_of(conn, job.id) for job in (culprit, neighbour)] == ["dead", "completed"]


@pytest.mark.parametrize("end", ["fail", "snooze", "advance", "yield"])
async def test_an_attempt_that_ends_by_itself_clears_a_suspect(conn: Connection, end: str) -> None:
    await lost_together(conn, 1, retry=[0])
    job = await claim_one(conn, await a_worker(conn))
    if end == "fail":
        assert await fail(conn, job)
    else:
        details: dict[str, dict[str, Any]] = {
            "snooze": {"delay": 0},
            "advance": {"stage": "two"},
            "yield": {"yielded": True},
        }
        assert await settle(conn, job, "release" if end == "yield" else end, details[end])
    assert not await is_suspect(conn, job.id)


async def test_a_suspect_that_its_worker_releases_stays_one(conn: Connection) -> None:
    await lost_together(conn, 1)
    job = await claim_one(conn, await a_worker(conn))
    assert await release(conn, job)
    assert await is_suspect(conn, job.id)


async def test_five_releases_without_a_sign_of_work_make_a_suspect_and_no_number_a_dead_one(
    conn: Connection,
) -> None:
    job_id = await ready_job(conn, max_failures=1)
    worker = await a_worker(conn)
    for n in range(1, 50):
        assert await release(conn, await claim_one(conn, worker))
        assert await is_suspect(conn, job_id) == (n >= 5)
    assert await state_of(conn, job_id) == "ready"


@pytest.mark.parametrize("sign", ["checkpoint", "yield"])
async def test_a_job_that_shows_that_it_works_is_never_a_suspect(conn: Connection, sign: str) -> None:
    await ready_job(conn)
    worker = await a_worker(conn)
    for n in range(24):
        job = await claim_one(conn, worker)
        if sign == "checkpoint":
            await conn.execute(SAVE, job.id, job.token, str(n))
        assert await settle(conn, job, "release", {"yielded": sign == "yield"})
        assert not await is_suspect(conn, job.id)


async def test_a_loss_is_forgiven_once_and_the_job_cleared(conn: Connection) -> None:
    (job,) = await lost_together(conn, 1)
    await renew(conn, job.worker)
    row = await the_job(conn, job.id)
    assert (row["losses"], await is_suspect(conn, job.id)) == (0, False)
    again = await claim_one(conn, job.worker)
    await lose(conn, again)
    await renew(conn, job.worker)
    row = await the_job(conn, job.id)
    assert (row["losses"], await is_suspect(conn, job.id)) == (1, True)


async def test_of_many_that_one_worker_lost_none_counts_as_alone_whatever_the_size_of_a_round(
    conn: Connection,
) -> None:
    """A rescue may take them one by one; the last one was not alone all the same."""
    jobs = await lost_together(conn, 3)
    await conn.execute("update holdfast.jobs set losses = 1")
    worker = await a_worker(conn)
    for _ in jobs:
        await snooze(conn, await claim_one(conn, worker), timedelta(0))
    assert len(await claim(conn, worker, 3)) == 3
    await expire_worker(conn, worker)
    for _ in jobs:
        await conn.execute("select holdfast.rescue_jobs(1)")
    assert [(await the_job(conn, job.id))["losses"] for job in jobs] == [1, 1, 1]


async def test_what_explain_says_of_a_suspect(conn: Connection, clock: Clock) -> None:
    suspect, *_ = await lost_together(conn, 1)
    await a_worker(conn, isolation="children")
    rows = await conn.fetch("select blocker from holdfast.explain($1)", suspect.id)
    assert [row["blocker"] for row in rows] == ["suspect"]


async def test_what_explain_says_of_a_job_whose_workers_run_suspects(conn: Connection) -> None:
    await lost_together(conn, 1)
    await claim_one(conn, await a_worker(conn))
    waiting = await ready_job(conn)
    rows = await conn.fetch("select blocker from holdfast.explain($1)", waiting)
    assert [row["blocker"] for row in rows] == ["alone"]


async def test_a_queue_that_allows_one_loss_takes_no_second_chance(conn: Connection) -> None:
    await a_queue(conn, max_losses=1)
    jobs = await lost_together(conn, 2)
    assert [await state_of(conn, job.id) for job in jobs] == ["dead"] * 2
