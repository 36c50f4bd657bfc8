"""One attempt on one page, from the claimed job to its end in the outbox.

    claimed -> handler -> arguments -> call (loop | thread | process) -> outcome -> end

Each step takes the attempt and returns it with its own part added.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any

from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import DONE, Released, Verb, end_of
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.job_log import running_attempt
from holdfast.worker.attempt.attempt_tasks import AttemptTasks
from holdfast.worker.attempt.deadlines import Deadlines
from holdfast.worker.attempt.failure import end_after, unknown_task
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.attempt.return_value import returned
from holdfast.worker.attempt.running_attempt import Attempt, Stop
from holdfast.worker.attempt.wrappers import wrapped
from holdfast.worker.call.process.process_pool import ProcessPool
from holdfast.worker.call.threads import Threads
from holdfast.worker.context.database_port import DatabasePort
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.original_process import OriginalProcess
from holdfast.worker.worker_state import WorkerState


class AttemptRunner:
    """Runs the attempts of one worker. No exception of a handler escapes from `_run`, not even one that would
    end the loop or the process: the handler has failed, not the worker.
    """

    def __init__(self, worker: WorkerState, port: DatabasePort) -> None:
        self._worker = worker
        self._port = port
        self._tasks = AttemptTasks(self._run)
        self._handlers: dict[str, Handler] = {}
        self._unknown: set[str] = set()
        self._deadlines = Deadlines(worker.slots)
        self._threads = Threads(worker.slots, worker.wake)
        self._processes = ProcessPool(worker.slots, worker.options.app_path)
        self._home = OriginalProcess()

    def start(self, jobs: Iterable[ClaimedJob]) -> None:
        """Claimed jobs become attempts, which run side by side until each has ended."""
        batch: list[Attempt] = []
        for job in jobs:
            handler = self._handlers.get(job.task) or self._find_handler(job.task)
            if handler is None:
                self._worker.report.unknown += 1
                self._worker.outbox.add(job.id, job.token, end_of(unknown_task(job.task)))
            else:
                batch.append(Attempt(job, handler))
        if not batch:
            return
        self._worker.slots.enter(batch)
        durations = self._worker.allowance.durations  # measured only with a time box
        for attempt in batch:
            if durations is not None:
                durations.begin(attempt.job.task, attempt.handler.can_yield)
            if attempt.job.stop_after is not None:
                self._deadlines.add(attempt, attempt.job.stop_after)
            if attempt.job.endpoint is not None:
                self._worker.events.endpoints.add(attempt.job.endpoint)
        if self._worker.events.has_starts:
            self._worker.events.started(attempt.job for attempt in batch)
        self._tasks.start(batch)

    async def _run(self, attempt: Attempt) -> None:
        handler = attempt.handler
        attempt.has_begun = True
        before = running_attempt.set(attempt)  # for the log
        try:
            if attempt.stop is not None:
                raise asyncio.CancelledError
            if handler.process is not None:
                attempt = await self._called_in_process(attempt)
            elif handler.wrappers:
                attempt = await self._called_in_wrappers(attempt)
            else:
                attempt = await self._called(attempt)
            attempt = returned(attempt, self._port.stage_models)
        except BaseException as exc:
            attempt = self._raised(attempt, exc)
        running_attempt.reset(before)
        self._ended(attempt)
        attempt.error = None  # its traceback holds this frame: together they would stay until a collection

    def _find_handler(self, name: str) -> Handler | None:
        task = self._worker.app.tasks.get(name)
        if task is None:
            if name not in self._unknown:
                self._unknown.add(name)
                emit(Event.UNKNOWN_TASK, task=name)
            return None
        self._handlers[name] = handler = Handler(task)
        return handler

    async def _called(self, attempt: Attempt, context: JobContext | None = None) -> Attempt:
        """In the loop or in a thread: the handler has returned `attempt.value`."""
        handler = attempt.handler
        if context is None and handler.context_parameter is not None:
            context = JobContext(attempt, self._port)
        arguments = handler.arguments(attempt.job.payload_json, context)
        if handler.is_async:
            attempt.value = await handler.function(**arguments)
        else:
            attempt.value = await self._call_in_thread(attempt, arguments)
        return attempt

    async def _called_in_wrappers(self, attempt: Attempt) -> Attempt:
        """Those of `@app.around`, which also see an error of the arguments."""
        handler, context = attempt.handler, JobContext(attempt, self._port)
        if not handler.is_async and attempt.task is not None:
            attempt.abandon = attempt.task.cancel  # while a wrapper waits, before and after the thread
        await wrapped(handler.wrappers, context, lambda: self._called(attempt, context))
        return attempt

    async def _called_in_process(self, attempt: Attempt) -> Attempt:
        """The child has already turned the value into `attempt.end`."""
        attempt.end = await self._processes.run(attempt, self._port)
        return attempt

    async def _call_in_thread(self, attempt: Attempt, arguments: dict[str, Any]) -> Any:
        future = self._threads.submit(attempt.handler.function, **arguments)
        before, attempt.abandon = attempt.abandon, partial(self._threads.give_up, future)
        while not future.done():
            # Cancelling this task is not our way to stop a thread: abandoning the thread ends the future.
            with suppress(asyncio.CancelledError):
                await asyncio.wait([future])
        attempt.abandon = before
        try:
            return future.result()
        finally:
            del future  # an exception's traceback holds this frame: a cycle, with the handler's variables

    def _raised(self, attempt: Attempt, exc: BaseException) -> Attempt:
        """The outcome of an exception."""
        self._home.leave_if_forked(exc)
        if isinstance(exc, asyncio.CancelledError):
            self._blame_others(attempt)
        attempt.end = end_after(exc, attempt)
        if attempt.is_settled:
            emit(Event.LATE_EXCEPTION, job=attempt.job.id, error=type(exc).__name__)
        if self._worker.events.has_hooks:
            attempt.error = exc
        return attempt

    def _blame_others(self, attempt: Attempt) -> None:
        """The task itself was cancelled, and not by the worker: perhaps by a handler that cancels all tasks.
        Unless no other attempt ran, this must not count as its failure.
        """
        is_hit = attempt.task is not None and attempt.task.cancelling() > 0
        if attempt.stop is None and is_hit and not self._worker.slots.was_alone(attempt):
            attempt.stop = Stop.BY_OTHERS

    def _ended(self, attempt: Attempt) -> Attempt:
        """The only place that knows that an attempt has ended: counted, logged, and put into the outbox."""
        self._home.leave_if_forked()
        worker, job, end = self._worker, attempt.job, attempt.end
        if attempt not in worker.slots.running or end is None:
            return attempt  # `give_up` has reported it
        worker.slots.vacate(attempt)
        worker.report.count(end.verb)
        if attempt.log is not None:
            worker.logs.ended(attempt, end.verb)
        sent = end if attempt.progress is None else worker.progress.ended(attempt, end)
        if worker.allowance.durations is not None and end.verb is not Verb.RELEASE:
            worker.allowance.durations.note(job.task, monotonic() - attempt.began)
        if attempt.is_settled:
            worker.events.completed(job, monotonic() - attempt.began)
        else:
            worker.outbox.add(job.id, job.token, sent)
            if worker.events.has_successes or end is not DONE:
                worker.events.ended(job, end, monotonic() - attempt.began, attempt.error)
            # A job that waits for children may have missed the end of the last one.
            if job.run is not None or end.verb is Verb.WAIT:
                worker.outbox.has_run = True
        worker.wake.nudge()
        return attempt

    def send_back(self, jobs: Iterable[ClaimedJob], why: Stop) -> None:
        """Jobs that were claimed too late to run."""
        for job in jobs:
            self._worker.outbox.add(job.id, job.token, end_of(Released(why.value)))

    def give_up(self, why: Stop) -> None:
        """Reports the end of attempts that do not stop; the database refuses their later writes."""
        for attempt in list(self._worker.slots.running):
            emit(Event.DID_NOT_STOP, job=attempt.job.id, task=attempt.job.task)
            attempt.end = end_of(Released(why.value, attempt.units))
            self._ended(attempt).is_settled = True

    def close(self) -> None:
        self._deadlines.close()
        self._threads.close()

    async def close_processes(self, within: timedelta) -> None:
        await self._processes.close(within)

    async def close_handlers(self) -> None:
        for handler in self._handlers.values():
            await handler.close()
