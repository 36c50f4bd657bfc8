"""When a worker claims: at a notification, when something is due, and at its polls."""

import asyncio
from datetime import timedelta
from time import monotonic

import pytest

from holdfast.client.app import Holdfast
from holdfast.worker.wake import FIRST_POLL, LAST_POLL, Wake
from tests.patience import PATIENCE
from tests.worker.working import working


@pytest.mark.usefixtures("no_polls")
async def test_a_notification_starts_a_job_long_before_the_next_poll(app: Holdfast) -> None:
    @app.task()
    async def work(n: int) -> int:
        return n

    async with working(app):
        for n in range(5):
            assert await (await work.enqueue(n)).result(timeout=PATIENCE) == n


async def test_a_job_that_nobody_told_of_is_found_by_the_poll(app: Holdfast) -> None:
    @app.task()
    async def work() -> int:
        return 1

    async with working(app):
        await (await work.enqueue()).result(timeout=PATIENCE)
        row = await app.database.fetch(
            "select job_id from holdfast.enqueue_jobs(array['work'], array['{}'::json], $1)",
            '{"notify": false}',
        )
        assert await app.job(row[0]["job_id"]).result(timeout=PATIENCE) == 1


@pytest.mark.usefixtures("no_polls")
async def test_a_scheduled_job_starts_when_it_is_due(app: Holdfast) -> None:
    @app.task()
    async def work() -> float:
        return monotonic()

    async with working(app):
        began = monotonic()
        started = await (await work.options(delay="300ms").enqueue()).result(timeout=PATIENCE) - began
    assert started >= 0.3


async def test_a_queue_that_is_not_the_workers_does_not_wake_it(app: Holdfast) -> None:
    done: list[int] = []

    @app.task(queue="theirs")
    async def work() -> None:
        done.append(1)

    handle = await work.enqueue()
    async with working(app, "ours"):
        await asyncio.sleep(0.2)  # there is nothing to see while nothing happens
    assert done == []
    assert (await handle.job()).attempt == 0


async def test_polls_become_rarer_only_while_the_listener_is_proved_alive() -> None:
    alive = asyncio.Event()
    alive.set()
    wake = Wake(alive.is_set)
    assert wake.has_reason
    waits = []
    for _ in range(7):
        wake.answered()
        wake.found_less(0, None, monotonic())
        waits.append(wake._poll_at - monotonic())
    assert waits[-1] <= LAST_POLL
    assert waits[-1] > 4 * FIRST_POLL
    alive.clear()
    wake.found_less(0, None, monotonic())
    assert wake._poll_at - monotonic() <= FIRST_POLL


@pytest.mark.usefixtures("no_polls")
async def test_the_next_due_job_shortens_the_wait() -> None:
    wake = Wake(lambda: True)
    wake.answered()
    wake.found_less(0, timedelta(milliseconds=50), monotonic())
    reasons = [wake.has_reason]
    began = monotonic()
    async with asyncio.timeout(PATIENCE):
        await wake.wait(until_poll=True)
    reasons.append(wake.has_reason)
    assert reasons == [False, True]
    assert monotonic() - began > 0.04
    assert wake._waiters == []  # a worker may be idle for months


async def test_a_claim_that_is_answered_late_does_not_hide_what_another_was_told() -> None:
    """It may have looked before the job was put off. One that begins later has seen all."""
    wake = Wake(lambda: True)
    early = monotonic()
    wake.answered()
    wake.found_less(0, timedelta(milliseconds=50), monotonic())
    wake.found_less(0, None, early)
    assert wake._poll_at - monotonic() <= 0.05
    wake.found_less(0, None, monotonic())
    assert wake._poll_at - monotonic() > 0.5 * FIRST_POLL


async def test_a_ring_during_a_claim_is_not_forgotten() -> None:
    wake = Wake(lambda: True)
    wake.answered()
    wake.ring()
    wake.found_less(0, None, monotonic())
    assert wake.has_reason


async def test_after_a_full_claim_both_loops_have_a_reason_until_one_that_began_later_finds_less() -> None:
    wake = Wake(lambda: True)
    early = monotonic()
    wake.answered()
    wake.found_all()
    reasons = [wake.has_reason]
    wake.answered()
    reasons.append(wake.has_reason)
    wake.found_less(3, None, early)
    reasons.append(wake.has_reason)
    wake.found_less(3, None, monotonic())
    reasons.append(wake.has_reason)
    assert reasons == [True, True, True, False]


async def test_the_loop_that_began_to_wait_last_is_the_first_to_look() -> None:
    wake = Wake(lambda: True)
    woken: list[str] = []

    async def wait(name: str) -> None:
        await wake.wait(until_poll=False)
        woken.append(name)

    async with asyncio.TaskGroup() as loops:
        for name in ("first", "last"):
            loops.create_task(wait(name))
            await asyncio.sleep(0)
        for _ in range(2):
            wake.nudge()
            await asyncio.sleep(0)
    assert woken == ["last", "first"]
