"""When a worker claims: at a notification, when something is due, and at its polls."""

import asyncio
from datetime import timedelta
from time import monotonic
from typing import Any

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.listen import READY
from holdfast.db.worker import settle_and_claim
from holdfast.worker.claim.wake import FIRST_POLL, LAST_POLL, RINGS_AT_ONCE, Wake
from tests.patience import PATIENCE
from tests.worker.working import working

STORM = 3_000
MOST_A_SECOND = 50


@pytest.mark.usefixtures("no_polls")
async def test_a_notification_starts_a_job_long_before_the_next_poll(app: Holdfast) -> None:
    @app.task()
    async def work(n: int) -> int:
        return n

    async with working(app):
        for n in range(5):
            assert await (await work.enqueue(n)).result(timeout=PATIENCE) == n


async def test_a_job_without_a_notification_is_found_by_the_poll(app: Holdfast) -> None:
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


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When a worker of this process claimed."""
    made: list[float] = []

    async def counted(on: Any, worker: Any, n: int, *ends: Any) -> Any:
        if n:
            made.append(monotonic())
        return await settle_and_claim(on, worker, n, *ends)

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", counted)
    return made


def most_in_a_second(moments: list[float]) -> int:
    return max(sum(start <= at < start + 1 for at in moments) for start in moments)


async def test_a_storm_of_notifications_by_a_stranger_causes_few_claims(
    app: Holdfast, database_url: str, claims: list[float]
) -> None:
    @app.task()
    async def work() -> int:
        return 1

    stranger = await asyncpg.connect(database_url)
    async with working(app):
        assert await (await work.enqueue()).result(timeout=10) == 1
        claims.clear()
        for _ in range(STORM):
            await stranger.execute(f"notify {READY}, 'default'")
        assert claims, "the storm was not heard"
        assert await (await work.enqueue()).result(timeout=10) == 1
    await stranger.close()
    assert most_in_a_second(claims) <= MOST_A_SECOND + 5, "polls and the end of the job come on top"


def test_a_ring_that_found_a_job_does_not_delay_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller who waits for each result before the next job is served as fast as a worker can."""
    now = 1000.0
    monkeypatch.setattr("holdfast.worker.claim.wake.monotonic", lambda: now)
    wake = Wake(lambda: True)
    for _ in range(1_000):
        wake.ring()
        assert wake.has_reason
        wake.answered()
        wake.found_less(1, None, now)
        now += 1 / 1024


async def test_the_first_rings_are_acted_on_at_once_and_those_of_a_storm_are_folded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("holdfast.worker.claim.wake.monotonic", lambda: now)
    wake = Wake(lambda: True)
    wake.answered()
    acted = []
    for _ in range(2_000):
        wake.found_less(0, None, now)
        wake.ring()
        if wake.has_reason:
            acted.append(now)
            wake.answered()
        now += 1 / 1024
    assert acted[: RINGS_AT_ONCE - 1] == [1000.0 + n / 1024 for n in range(RINGS_AT_ONCE - 1)]
    assert most_in_a_second(acted) <= MOST_A_SECOND
    now += 1
    wake.ring()
    assert wake.has_reason, "after the storm the first is acted on at once again"


async def test_a_ring_that_must_wait_is_acted_on_after_the_pause() -> None:
    wake = Wake(lambda: True)
    wake.answered()
    wake.found_less(0, None, monotonic())
    wake._ring_at = monotonic() + 0.2
    wake.ring()
    reasons = [wake.has_reason]
    await wake.wait(until_poll=True)
    reasons.append(wake.has_reason)
    assert reasons == [False, True]
    assert monotonic() < wake._poll_at, "long before the poll"
