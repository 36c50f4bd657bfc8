"""Timeouts and requests to cancel."""

import asyncio
import threading
from datetime import timedelta
from uuid import uuid4

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.worker import claim_jobs, register_worker
from holdfast.model.id import WorkerId
from holdfast.model.outcome import Verb
from holdfast.model.state import State
from holdfast.worker.attempt.attempt_runner import AttemptRunner
from holdfast.worker.attempt.running_attempt import Stop
from holdfast.worker.context.database_port import DatabasePort
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.lease.lease import Registration
from holdfast.worker.options import WorkerOptions
from holdfast.worker.worker_state import WorkerState
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, in_state, until, working


async def test_an_attempt_that_takes_too_long_is_cancelled_and_recorded_as_timed_out(app: Holdfast) -> None:
    cleaned = asyncio.Event()

    @app.task(timeout="200ms", max_failures=1)
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    handle = await slow.enqueue()
    async with working(app):
        job = await ended(handle)
    assert cleaned.is_set()
    assert (job.state, job.failures) == (State.DEAD, 1)
    assert await attempts_of(app, handle.id) == [("timed_out", "transient")]


async def test_timeouts_fire_in_the_order_of_their_ends(app: Holdfast) -> None:
    order: list[int] = []

    @app.task(max_failures=1)
    async def slow(n: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append(n)

    handles = [await slow.options(timeout=timedelta(milliseconds=ms)).enqueue(ms) for ms in (600, 200, 400)]
    async with working(app):
        for handle in handles:
            await ended(handle)
    assert order == [200, 400, 600]


async def test_a_thread_that_does_not_return_is_reported_and_keeps_its_slot(app: Holdfast) -> None:
    release = threading.Event()
    others: list[int] = []

    @app.task(timeout="200ms", max_failures=1)
    def stuck() -> None:
        release.wait(PATIENCE)

    @app.task()
    async def other(n: int) -> None:
        others.append(n)

    handle = await stuck.enqueue()
    try:
        async with working(app, slots=1):
            assert (await ended(handle)).state is State.DEAD
            waiting = await other.enqueue(1)
            await asyncio.sleep(0.3)  # there is nothing to see while nothing happens
            assert others == []
            release.set()
            assert (await ended(waiting)).state is State.COMPLETED
    finally:
        release.set()
    assert await attempts_of(app, handle.id) == [("timed_out", "transient")]


async def test_a_request_to_cancel_reaches_a_running_handler_long_before_the_next_sweep(
    app: Holdfast,
) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    handle = await endless.enqueue()
    async with working(app, sweep=timedelta(hours=1), lease=timedelta(hours=1)):
        await until(in_state(handle, State.RUNNING))
        await handle.cancel("not needed")
        job = await ended(handle)
    assert (job.state, job.reason) == (State.CANCELLED, "not needed")


async def test_a_missed_notification_of_a_cancel_is_made_up_for_by_the_sweep(app: Holdfast) -> None:
    @app.task()
    async def endless() -> None:
        await asyncio.Event().wait()

    handle = await endless.enqueue()
    async with working(app):
        await until(in_state(handle, State.RUNNING))
        await app.database.execute(
            "update holdfast.jobs set cancel_asked_at = now() where id = $1", handle.id
        )
        assert (await ended(handle)).state is State.CANCELLED


async def test_a_handler_that_swallows_the_cancel_and_returns_has_completed(app: Holdfast) -> None:
    @app.task()
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "done all the same"
        return "never"

    handle = await stubborn.enqueue()
    async with working(app):
        await until(in_state(handle, State.RUNNING))
        await handle.cancel()
        job = await ended(handle)
    assert (job.state, job.output) == (State.COMPLETED, "done all the same")


async def test_a_plain_function_sees_the_request_in_its_context(app: Holdfast) -> None:
    @app.task()
    def patient(ctx: JobContext) -> str:
        return "asked" if ctx.cancelled.wait(PATIENCE) else "never asked"

    handle = await patient.enqueue()
    async with working(app):
        await until(in_state(handle, State.RUNNING))
        await handle.cancel()
        job = await ended(handle)
    assert (job.state, job.output) == (State.COMPLETED, "asked")


async def test_attempts_that_are_stopped_before_their_first_step_end_too(app: Holdfast, db: Database) -> None:
    """The event loop throws a cancel into a task that has not begun, past all its clean-up."""
    begun: list[int] = []

    @app.task()
    async def never() -> None:
        begun.append(1)

    await never.enqueue_many([never.call() for _ in range(3)])
    me = WorkerId(uuid4())
    await register_worker(db, me, ["default"], {})
    worker = WorkerState(app, WorkerOptions(("default",), slots=5), Registration(me, ["default"], {}))
    attempts = AttemptRunner(worker, DatabasePort(worker, uuid4()))
    attempts.start(await claim_jobs(db, me, 5))
    worker.slots.stop_all(Stop.WORKER_LEAVES)
    async with asyncio.timeout(PATIENCE):
        await worker.slots.until_none_runs()
    assert [end.verb for end in worker.outbox.ends] == [Verb.RELEASE] * 3
    assert begun == []
