"""Jobs that this worker holds without knowing: the answer to their claim got lost on the way."""

import logging
from time import monotonic

from holdfast.db.statement import Executor
from holdfast.db.worker import held_jobs
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.outcome import Released, end_of
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.outbox import Outbox
from holdfast.worker.settle import Settler
from holdfast.worker.slots import Slots
from holdfast.worker.wake import Wake

Held = set[tuple[JobId, Token]]


class Orphans:
    """Nobody would ever rescue such a job, its worker being alive: the worker must give it back itself.

    A claim whose answer is still on its way looks the same. So a job is an orphan only if it was unknown
    twice, and all calls that were under way the first time have ended by the second.
    """

    def __init__(self, me: WorkerId, slots: Slots, outbox: Outbox, settler: Settler, wake: Wake) -> None:
        self._me = me
        self._slots = slots
        self._outbox = outbox
        self._settler = settler
        self._wake = wake
        self._suspects: Held = set()
        self._looked_at = 0.0

    async def release(self, on: Executor) -> int:
        looked_at, oldest_call = monotonic(), self._settler.oldest_call
        unknown = await held_jobs(on, self._me) - self._known()
        orphans = unknown & self._suspects if oldest_call > self._looked_at else set()
        self._suspects, self._looked_at = unknown, looked_at
        for job, token in orphans:
            self._outbox.add(job, token, end_of(Released("the answer to its claim got lost")))
        if orphans:
            emit(Event.ORPHANS_RELEASED, logging.WARNING, count=len(orphans))
            self._wake.nudge()
        return len(orphans)

    def _known(self) -> Held:
        running = {(running.job.id, running.job.token) for running in self._slots.running}
        return running | set(zip(self._outbox.ids, self._outbox.tokens, strict=True))
