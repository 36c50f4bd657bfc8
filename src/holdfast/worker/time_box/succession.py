"""Handoff between workers: taking over, requesting a successor, and noticing lost ones."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from holdfast.db import continuations
from holdfast.db.continuations import Taken
from holdfast.db.statement import Executor
from holdfast.model.error import HoldfastError
from holdfast.model.id import RunId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.lease.lease import Registration
from holdfast.worker.time_box.callback import LONGEST, Callback, CallbackFailed
from holdfast.worker.time_box.time_box import GONE, TimeBox
from holdfast.worker.worker_report import WorkerReport

COUNTED = ("processed", "failed", "released")


@dataclass(frozen=True, slots=True)
class Continuing:
    """What starts the next worker (None: something else does), after which delay, and what this worker is.

    `patience`: request the successor again if it has not started within this time.
    """

    callback: Callback | None = None
    delay: timedelta = timedelta(seconds=1)
    stagger: timedelta = timedelta(milliseconds=100)
    patience: timedelta = timedelta(seconds=30)
    continuation: UUID | None = None
    run: RunId | None = None


class Succession:
    def __init__(
        self, continuing: Continuing, box: TimeBox | None, registration: Registration, group: str
    ) -> None:
        self._continuing = continuing
        self._box = box
        self._registration = registration
        self._group = group
        self._taken: Taken | None = None
        self._opens_at = 0.0

    @property
    def run(self) -> RunId | None:
        return self._continuing.run if self._taken is None else self._taken.run

    @property
    def opens_in(self) -> float:
        """Seconds until it may claim: successors of workers that ended together start one after the other."""
        return self._opens_at - monotonic()

    async def register(self, on: Executor) -> bool:
        """False if another worker has the continuation that this one was started for."""
        if self._continuing.continuation is None:
            await self._registration.send(on)
            return True
        worker, queues, info = self._registration.worker, self._registration.queues, self._registration.info
        taken = await continuations.take_continuation(on, self._continuing.continuation, worker, queues, info)
        self._taken = taken
        if taken.starts_in is not None:
            self._opens_at = monotonic() + taken.starts_in.total_seconds()
        return taken.taken

    async def hand_over(self, on: Executor, report: WorkerReport, claim_size: int | None) -> None:
        """Requests a successor if there is work for one, in the time that is left.

        If that fails, another worker notices the missing successor: this worker's row says that one is due.
        """
        if self._box is None:
            return
        try:
            async with asyncio.timeout(self._box.left_to(GONE).total_seconds()):
                await self._ask(on, report, claim_size, self._box)
        except (HoldfastError, TimeoutError) as exc:
            worker = self._registration.worker
            emit(Event.CONTINUATION_NOT_SENT, worker=worker, because=repr(exc))

    async def _ask(self, on: Executor, report: WorkerReport, claim_size: int | None, box: TimeBox) -> None:
        if self._continuing.callback is None:
            report.remaining = await self.remaining(on)
            return
        asked = await continuations.request_continuation(
            on, self._registration.worker, self._request(report, claim_size)
        )
        report.remaining, report.continuation = asked.remaining, asked.continuation
        if asked.body is not None:
            await self._send(on, asked.body, max(box.left_to(GONE), timedelta(milliseconds=50)))

    async def remaining(self, on: Executor) -> int:
        """The jobs left in this worker's queues or run that are due within about one more box."""
        within = timedelta(minutes=1) if self._box is None else self._box.length
        return await continuations.work_left(on, self._registration.queues, self.run, within)

    async def look(self, on: Executor) -> int:
        """A maintenance task: requests successors again that did not start."""
        if self._continuing.callback is None:
            return 0
        queues, patience = self._registration.queues, self._continuing.patience
        lost = await continuations.lost_continuations(on, queues, self._group, patience)
        for body in lost:
            known, cause = body["continuation"], body["cause"]
            emit(Event.CONTINUATION_LOST, continuation=known, cause=cause)
        await asyncio.gather(*(self._send(on, body, LONGEST) for body in lost))
        return len(lost)

    def _request(self, report: WorkerReport, claim_size: int | None) -> Mapping[str, Any]:
        before = {} if self._taken is None else self._taken.checkpoint
        assert self._box is not None
        info: dict[str, Any] = {
            "delay": self._continuing.delay.total_seconds(),
            "stagger": self._continuing.stagger.total_seconds(),
            "horizon": self._box.length.total_seconds(),
            "checkpoint": {name: before.get(name, 0) + getattr(report, name) for name in COUNTED},
        }
        return info if claim_size is None else {**info, "claim_size": claim_size}

    async def _send(self, on: Executor, body: Mapping[str, Any], within: timedelta) -> None:
        callback = self._continuing.callback
        assert callback is not None
        try:
            await callback(body, within)
        except CallbackFailed as exc:
            emit(Event.CONTINUATION_NOT_SENT, continuation=body["continuation"], because=exc)
            await self._note_failure(on, UUID(str(body["continuation"])), exc.message)
        else:
            emit(Event.CONTINUATION_SENT, continuation=body["continuation"], index=body["index"])

    async def _note_failure(self, on: Executor, continuation: UUID, why: str) -> None:
        try:
            await continuations.fail_continuation(on, continuation, why)
        except HoldfastError as exc:
            # Then it counts as sent, and is requested again when its patience is over.
            emit(Event.CONTINUATION_NOT_SENT, logging.DEBUG, continuation=continuation, because=exc)
