"""Attempts of this worker that must stop because of a cancel request."""

from holdfast.db.statement import Executor
from holdfast.db.worker import cancel_requests, held_jobs
from holdfast.model.id import JobId, Token
from holdfast.worker.attempt.running_attempt import Attempt, Stop
from holdfast.worker.worker_state import WorkerState


class StopRequests:
    """Two maintenance tasks; each returns how many attempts it stopped."""

    def __init__(self, worker: WorkerState) -> None:
        self._worker = worker

    async def forward(self, on: Executor) -> int:
        """Forwards new cancel requests to the handlers."""
        slots = self._worker.slots
        if not slots.running:
            return 0
        requests = await cancel_requests(on, self._worker.me)
        reasons = {(request.id, request.token): request.reason for request in requests}
        for attempt in list(slots.running) if reasons else ():
            if _key(attempt) in reasons:
                attempt.tell_to_stop(Stop.ASKED, reasons[_key(attempt)])
        return len(requests)

    async def kill_reclaimed(self, on: Executor) -> int:
        """Kills attempts in process mode whose job was reclaimed after an ignored cancel request.

        A thread would continue, with its writes refused. A process can be killed.
        """
        slots = self._worker.slots
        # The answer covers attempts that ran before the query; a job that was claimed later may be missing.
        before = [attempt for attempt in slots.running if attempt.handler.process is not None]
        if not before:
            return 0
        held = await held_jobs(on, self._worker.me)
        reclaimed = [one for one in before if one in slots.running and _key(one) not in held]
        for attempt in reclaimed:
            attempt.tell_to_stop(Stop.LEASE_EXPIRED)
        return len(reclaimed)


def _key(attempt: Attempt) -> tuple[JobId, Token]:
    return attempt.job.id, attempt.job.token
