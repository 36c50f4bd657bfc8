"""Runs claimed jobs, and puts the end of each into the outbox."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, Released, Verb, end_of
from holdfast.model.worker import StopRequest
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.carrier import Carrier
from holdfast.worker.context import JobContext, Services
from holdfast.worker.deadlines import Deadlines
from holdfast.worker.durations import Durations
from holdfast.worker.ending import check_end, ending
from holdfast.worker.failure import failure_facts, outcome_of, unknown_task
from holdfast.worker.forked import Home
from holdfast.worker.handler import Handler
from holdfast.worker.outbox import Outbox
from holdfast.worker.processes.pool import Processes
from holdfast.worker.report import WorkerReport
from holdfast.worker.running import Running, Stop
from holdfast.worker.slots import Slots
from holdfast.worker.tasks import WorkerApp
from holdfast.worker.threads import Threads
from holdfast.worker.wake import Wake
from holdfast.worker.wrapping import wrapped


class Runner:
    def __init__(
        self,
        app: WorkerApp,
        slots: Slots,
        outbox: Outbox,
        wake: Wake,
        report: WorkerReport,
        services: Services,
        app_path: str | None = None,
        durations: Durations | None = None,
    ) -> None:
        self._app = app
        self._slots = slots
        self._outbox = outbox
        self._wake = wake
        self._report = report
        self._services = services
        self._durations = durations  # measured only where somebody asks for them
        self._carrier = Carrier(self._attend)
        self._handlers: dict[str, Handler] = {}
        self._unknown: set[str] = set()
        self._deadlines = Deadlines(slots)
        self._threads = Threads(self._count_stuck)
        self._processes = Processes(slots.total, app_path)
        self._home = Home()

    def start(self, jobs: Iterable[ClaimedJob]) -> None:
        batch: list[Running] = []
        for job in jobs:
            handler = self._handlers.get(job.task) or self._find(job.task)
            if handler is None:
                self._report.unknown += 1
                self._outbox.add(job.id, job.token, end_of(unknown_task(job.task)))
            else:
                batch.append(Running(job, handler))
        if not batch:
            return
        self._slots.enter(batch)
        for running in batch:
            if self._durations is not None:
                self._durations.begin(running.job.task, running.handler.can_yield)
            if running.job.stop_after is not None:
                self._deadlines.add(running, running.job.stop_after)
        self._carrier.start(batch)

    def send_back(self, jobs: Iterable[ClaimedJob], why: Stop) -> None:
        """Claimed too late to be run."""
        for job in jobs:
            self._outbox.add(job.id, job.token, end_of(Released(why.value)))

    def ask_to_yield(self) -> None:
        for running in list(self._slots.running):
            running.ask_to_yield()

    def stop_all(self, why: Stop) -> None:
        for running in list(self._slots.running):
            running.tell_to_stop(why)

    def ask_to_stop(self, requests: Iterable[StopRequest]) -> None:
        asked = {(request.id, request.token): request.reason for request in requests}
        for running in list(self._slots.running) if asked else ():
            key = (running.job.id, running.job.token)
            if key in asked:
                running.tell_to_stop(Stop.ASKED, asked[key])

    def give_up(self, why: Stop) -> None:
        """Report the end of what does not stop: its later writes are fenced."""
        for running in list(self._slots.running):
            emit(Event.DID_NOT_STOP, logging.WARNING, job=running.job.id, task=running.job.task)
            self._finish(running, end_of(Released(why.value, running.units)))
            running.is_settled = True

    def close(self) -> None:
        self._deadlines.close()
        self._threads.close()

    async def end_processes(self, within: timedelta) -> None:
        await self._processes.close(within)

    async def close_handlers(self) -> None:
        for handler in self._handlers.values():
            await handler.close()

    def _find(self, name: str) -> Handler | None:
        task = self._app.tasks.get(name)
        if task is None:
            if name not in self._unknown:
                self._unknown.add(name)
                emit(Event.UNKNOWN_TASK, logging.ERROR, task=name)
            return None
        self._handlers[name] = handler = Handler(task)
        return handler

    async def _attend(self, running: Running) -> None:
        """One attempt from its first step to its end; nothing that a handler raises gets past it.

        Not even what would end the loop or the process: the handler has failed, the worker has not.
        """
        running.has_begun = True
        try:
            if running.stop is not None:
                raise asyncio.CancelledError
            if running.handler.process is not None:
                end = await self._processes.run(running, JobContext(running, self._services))
                check_end(running, end, self._services.models)
            else:
                call = self._call_wrapped if running.handler.wrappers else self._call
                end = ending(running, await call(running), self._services.models)
        except BaseException as exc:
            self._home.leave_if_forked(exc)
            if isinstance(exc, asyncio.CancelledError):
                self._blame_others(running)
            end = end_of(outcome_of(exc, running))
            if running.is_settled:
                emit(Event.HANDLER_SPOKE_LATE, logging.WARNING, job=running.job.id, error=type(exc).__name__)
        if self._home.is_left:
            self._home.leave_if_forked()
        if running in self._slots.running:
            self._finish(running, end)

    async def _call_wrapped(self, running: Running) -> Any:
        context = JobContext(running, self._services)
        if not running.handler.is_async and running.task is not None:
            running.abandon = running.task.cancel  # while a wrapper waits, before and after the thread
        return await wrapped(running.handler.wrappers, context, lambda: self._call(running, context))

    async def _call(self, running: Running, context: JobContext | None = None) -> Any:
        handler, job = running.handler, running.job
        if context is None and handler.context_parameter is not None:
            context = JobContext(running, self._services)
        args, kwargs = handler.arguments(job.payload_json, context)
        if handler.is_async:
            return await handler.function(*args, **kwargs)
        future = self._threads.submit(handler.function, *args, **kwargs)
        before, running.abandon = running.abandon, lambda: self._threads.give_up(future)
        while not future.done():
            # A cancel of this task is not ours: a thread that is to stop is given up, which ends the future.
            with suppress(asyncio.CancelledError):
                await asyncio.wait([future])
        running.abandon = before
        return future.result()

    def _finish(self, running: Running, end: End) -> None:
        self._slots.vacate(running)
        self._report.count(end.verb)
        if self._durations is not None and end.verb is not Verb.RELEASE:
            self._durations.note(running.job.task, monotonic() - running.began)
        if not running.is_settled:
            job = running.job
            self._outbox.add(job.id, job.token, end)
            if end.verb is Verb.FAIL:
                emit(Event.JOB_FAILED, logging.WARNING, **failure_facts(job, end))
            # One that waits for children may have missed the last of them.
            if job.run is not None or end.verb is Verb.WAIT:
                self._outbox.has_run = True
        self._wake.nudge()

    def _blame_others(self, running: Running) -> None:
        """Its task was cancelled, not only something that it waited for, and not by us: perhaps by a handler
        that cancels all tasks. Unless no other ran, it must not pay for that.
        """
        is_hit = running.task is not None and running.task.cancelling() > 0
        if running.stop is None and is_hit and not self._slots.was_alone(running):
            running.stop = Stop.BY_OTHERS

    def _count_stuck(self, change: int) -> None:
        self._slots.stuck += change
        self._wake.nudge()
