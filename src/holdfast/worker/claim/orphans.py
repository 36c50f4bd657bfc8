"""Jobs that this worker holds without knowing: the answer to their claim was lost."""

from time import monotonic

from holdfast.db.statement import Executor
from holdfast.db.worker import held_jobs
from holdfast.model.id import JobId, Token
from holdfast.model.outcome import Released, end_of
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.worker_state import WorkerState

Held = set[tuple[JobId, Token]]


class Orphans:
    """No worker rescues such a job, because its worker is alive: the worker must release it itself.

    A claim whose answer is still on its way looks the same. So a job is an orphan only if it was unknown in
    two checks, and all calls that were running at the first check have ended by the second.
    """

    def __init__(self, worker: WorkerState) -> None:
        self._worker = worker
        self._suspects: Held = set()
        self._looked_at = 0.0

    async def release(self, on: Executor) -> int:
        worker = self._worker
        looked_at, oldest_call = monotonic(), min(worker.calls, default=float("inf"))
        unknown = await held_jobs(on, worker.me) - self._known()
        orphans = unknown & self._suspects if oldest_call > self._looked_at else set()
        self._suspects, self._looked_at = unknown, looked_at
        for job, token in orphans:
            worker.outbox.add(job, token, end_of(Released("the answer to its claim was lost")))
        if orphans:
            emit(Event.ORPHANS_RELEASED, count=len(orphans))
            worker.wake.nudge()
        return len(orphans)

    def _known(self) -> Held:
        outbox = self._worker.outbox
        running = {(attempt.job.id, attempt.job.token) for attempt in self._worker.slots.running}
        return running | set(zip(outbox.ids, outbox.tokens, strict=True))
