"""One call of the worker: sends the ends of finished jobs and claims new ones for the free slots."""

import asyncio
from time import monotonic

from holdfast.db.statement import Executor
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import DatabaseError, InvalidInput
from holdfast.model.outcome import end_of
from holdfast.model.worker import Settled
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker import failpoint
from holdfast.worker.attempt.attempt_runner import AttemptRunner
from holdfast.worker.attempt.failure import refused_end
from holdfast.worker.attempt.running_attempt import Stop
from holdfast.worker.backoff import backoff
from holdfast.worker.settle.outbox import Ends
from holdfast.worker.worker_connection import WorkerConnection
from holdfast.worker.worker_state import WorkerState

# SQLSTATE classes for a wrong value: data exception, integrity violation, program limit exceeded.
_ABOUT_VALUES = ("22", "23", "54")


class SettleLoop:
    """Two of these loops run at the same time, each on its own connection, so that PostgreSQL and Python both
    work.

    A loop waits until there is an end to send, or free slots and a reason to claim. Ends that arrive during a
    call go with the next one. An end is sent until the database has answered. If the answer to a commit was
    lost, the repeated end is reported as lost, which means completed or taken, and this worker does not run
    the job again.
    """

    def __init__(self, worker: WorkerState, attempts: AttemptRunner) -> None:
        self._worker = worker
        self._attempts = attempts
        self._clear = asyncio.Event()

    async def run(self, connection: WorkerConnection) -> None:
        worker, failures = self._worker, 0
        while True:
            while not self._has_work():
                await worker.wake.wait(until_poll=worker.may_claim())
                if worker.claims_left == 0:
                    self._note_if_clear()  # a job that completed in its own transaction leaves no end to send
            async with connection.lock:
                # The other loop may have sent it while this one waited for its connection.
                is_done = not self._has_work() or await self._turn(connection.held, failures)
            failures = 0 if is_done else failures + 1
            if failures:
                if worker.is_clear:
                    self._clear.set()  # a worker that leaves does not claim again: nothing else would say it
                await asyncio.sleep(backoff(failures))

    async def until_clear(self) -> None:
        self._clear.clear()
        while not self._worker.is_clear:
            self._worker.wake.nudge_all()
            await self._clear.wait()
            self._clear.clear()

    def _has_work(self) -> bool:
        worker = self._worker
        return bool(worker.outbox.ids) or (worker.wake.has_reason and worker.may_claim())

    async def _turn(self, on: Executor, failures: int) -> bool:
        """One call; false if it failed, which changes nothing."""
        worker = self._worker
        had_run, ends = worker.outbox.has_run, worker.outbox.take()
        n = self._reserve() if worker.may_claim() else 0
        began = monotonic()
        worker.calls.add(began)
        try:
            answer = await self._send(on, n, ends)
        except BaseException as exc:
            worker.outbox.put_back(ends, had_run)
            self._give_back(n)
            if not isinstance(exc, Exception):
                raise
            emit(Event.SETTLE_FAILED, because=exc)
            # Not the first time: PostgreSQL also reports the value while a partition is being attached.
            return failures > 0 and _blames_a_value(exc) and await self._settle_one_by_one(on)
        finally:
            worker.calls.discard(began)
        worker.slots.reserved -= n
        if had_run:
            worker.run_touched()
        self._take_answer(answer, n, began)
        return True

    def _reserve(self) -> int:
        """So that the other loop does not claim for the same slots."""
        worker = self._worker
        if worker.claims_left is not None:
            worker.claims_left -= 1
        worker.wake.answered()
        n = min(worker.slots.free, worker.slots.most)
        worker.slots.reserved += n
        return n

    def _give_back(self, n: int) -> None:
        """After a failed call. If it did claim jobs, they are found as orphans."""
        worker = self._worker
        worker.slots.reserved -= n
        if n:
            worker.wake.ring()
            if worker.claims_left is not None:
                worker.claims_left += 1

    async def _send(self, on: Executor, n: int, ends: Ends) -> Settled:
        events, (ids, tokens, values) = self._worker.events, ends
        if ids:
            failpoint.reach("before_settle")
        answer = await settle_and_claim(on, self._worker.me, n, ids, tokens, values)
        if ids:
            failpoint.reach("after_settle")
            if events.unrecorded or answer.lost:
                events.settled(ids, tokens, answer.lost)
        if answer.claimed:
            failpoint.reach("after_claim")
        return answer

    def _take_answer(self, answer: Settled, n: int, began: float) -> None:
        worker, found = self._worker, len(answer.claimed)
        if answer.lost:
            worker.report.lost += len(answer.lost)
        if answer.lapsed:
            worker.lease.renew_soon()
        if n and found == n:
            worker.wake.found_all()
        elif n:
            worker.wake.found_less(found, answer.due_in, began)
        if not found:
            self._note_if_clear()
        elif worker.stopping.asked.is_set():
            self._attempts.send_back(answer.claimed, Stop.WORKER_LEAVES)
        elif not worker.lease.is_held:
            self._attempts.send_back(answer.claimed, Stop.LEASE_EXPIRED)
        else:
            self._attempts.start(answer.claimed)

    def _note_if_clear(self) -> None:
        if self._worker.is_clear:
            self._clear.set()
            self._worker.idle.set()

    async def _settle_one_by_one(self, on: Executor) -> bool:
        """One end has a value that the database refuses: finds it, so that it does not block the others."""
        ids, tokens, values = self._worker.outbox.take()
        while ids:
            one = [ids[0]], [tokens[0]], [values[0]]
            try:
                await self._send(on, 0, one)
            except Exception as exc:
                refusal = end_of(refused_end(values[0], str(exc)))
                if not _blames_a_value(exc) or values[0] == refusal:
                    self._worker.outbox.put_back((ids, tokens, values), True)
                    return False
                emit(Event.END_REFUSED, job=ids[0], because=exc)
                self._worker.events.refused(ids[0], tokens[0], refusal)
                values[0] = refusal
            else:
                del ids[0], tokens[0], values[0]
        self._note_if_clear()
        return True


def _blames_a_value(exc: Exception) -> bool:
    if isinstance(exc, DatabaseError):
        return (exc.sqlstate or "").startswith(_ABOUT_VALUES)
    return isinstance(exc, InvalidInput | ValueError)
