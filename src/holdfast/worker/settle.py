"""The worker's turn: send the ends of jobs that finished, get new ones for the free slots, in one call."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from holdfast.db.statement import Executor
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import DatabaseError, InvalidInput
from holdfast.model.id import WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import end_of
from holdfast.model.worker import Settled
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker import failpoint
from holdfast.worker.failure import refused_end
from holdfast.worker.lease import Lease
from holdfast.worker.line import Line
from holdfast.worker.outbox import Ends, Outbox
from holdfast.worker.pause import pause_after
from holdfast.worker.report import WorkerReport
from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.slots import Slots
from holdfast.worker.stopping import Stopping
from holdfast.worker.wake import Wake

# SQLSTATE classes that blame a value: data exception, integrity violation, program limit exceeded.
_ABOUT_VALUES = ("22", "23", "54")


def _always() -> bool:
    return True


@dataclass(slots=True)
class Claiming:
    """At most how many at once, how often (None: for ever), and whether it may be done now."""

    most: int
    times: int | None = None
    is_open: Callable[[], bool] = _always


class Settler:
    """Two loops of this run at the same time, each on its own line, so that Postgres and Python both work.

    A loop waits until there is an end to send, or free slots and a reason to claim. Ends that come while a
    call is under way go with the next one. An end is sent until the database has answered: if the answer to
    a commit got lost, it is then among the lost ones, which means done or taken, and is not run again by us.
    """

    def __init__(
        self,
        me: WorkerId,
        slots: Slots,
        outbox: Outbox,
        wake: Wake,
        lease: Lease,
        runner: Runner,
        report: WorkerReport,
        claiming: Claiming,
        stopping: Stopping,
        on_idle: Callable[[], None],
        on_run: Callable[[], None],
    ) -> None:
        self._me = me
        self._slots = slots
        self._outbox = outbox
        self._wake = wake
        self._lease = lease
        self._runner = runner
        self._report = report
        self._claiming = claiming
        self._stopping = stopping
        self._on_idle = on_idle
        self._on_run = on_run  # called when the end of a job of a run is known: the run may have ended, too
        self._calls: set[float] = set()
        self._clear = asyncio.Event()

    @property
    def is_clear(self) -> bool:
        """Nothing runs, nothing waits to be sent, no call is under way."""
        return not self._slots.running and not self._outbox and not self._calls

    @property
    def oldest_call(self) -> float:
        """When the oldest call under way began; infinite if there is none."""
        return min(self._calls, default=float("inf"))

    async def until_clear(self) -> None:
        self._clear.clear()
        while not self.is_clear:
            self._wake.nudge_all()
            await self._clear.wait()
            self._clear.clear()

    async def run(self, line: Line) -> None:
        failures = 0
        while True:
            while not self._has_work():
                await self._wake.wait(until_poll=self._may_claim())
                if self._claiming.times == 0:
                    self._say_if_clear()  # a job that ended in its own transaction leaves no end to be sent
            async with line.taken() as on:
                # The other loop may have done it while this one waited for its line.
                is_done = not self._has_work() or await self._turn(on, failures)
            failures = 0 if is_done else failures + 1
            if failures:
                await asyncio.sleep(pause_after(failures))

    def _may_claim(self) -> bool:
        if self._stopping.is_asked or self._claiming.times == 0:
            return False
        return self._slots.free > 0 and self._lease.is_held and self._claiming.is_open()

    def _has_work(self) -> bool:
        return len(self._outbox) > 0 or (self._wake.has_reason and self._may_claim())

    async def _turn(self, on: Executor, failures: int) -> bool:
        """One call; false if it failed, after which everything is as before."""
        had_run, ends = self._outbox.has_run, self._outbox.take()
        n = self._reserve()
        began = monotonic()
        self._calls.add(began)
        try:
            answer = await self._send(on, n, ends)
        except BaseException as exc:
            self._outbox.put_back(ends, had_run)
            self._give_back(n)
            if not isinstance(exc, Exception):
                raise
            emit(Event.SETTLE_FAILED, logging.DEBUG, because=exc)
            # Not the first time: PostgreSQL blames the value, too, while a partition is being attached.
            return failures > 0 and _blames_a_value(exc) and await self._settle_one_by_one(on)
        finally:
            self._calls.discard(began)
        self._slots.unreserve(n)
        if had_run:
            self._on_run()
        self._note(answer, n, began)
        return True

    def _reserve(self) -> int:
        if not self._may_claim():
            return 0
        if self._claiming.times is not None:
            self._claiming.times -= 1
        self._wake.answered()
        return self._slots.reserve(self._claiming.most)

    def _give_back(self, n: int) -> None:
        """After a call that failed. If it claimed all the same, the jobs are found as orphans."""
        self._slots.unreserve(n)
        if self.is_clear:
            self._clear.set()
        if n:
            self._wake.ring()
            if self._claiming.times is not None:
                self._claiming.times += 1

    async def _send(self, on: Executor, n: int, ends: Ends) -> Settled:
        ids, tokens, values = ends
        if ids:
            failpoint.reach("before_settle")
        answer = await settle_and_claim(on, self._me, n, ids, tokens, values)
        if ids:
            failpoint.reach("after_settle")
        if answer.claimed:
            failpoint.reach("after_claim")
        return answer

    def _note(self, answer: Settled, n: int, began: float) -> None:
        found = len(answer.claimed)
        if answer.lost:
            self._report.lost += len(answer.lost)
            emit(
                Event.ENDS_LOST,
                jobs=",".join(str(lost.id) for lost in answer.lost[:10]),
                count=len(answer.lost),
            )
        if answer.lapsed:
            self._lease.renew_soon()
        if n and found == n:
            self._wake.found_all()
        elif n:
            self._wake.found_less(found, answer.due_in, began)
        if found:
            self._start(answer.claimed)
        else:
            self._say_if_clear()

    def _say_if_clear(self) -> None:
        if self.is_clear:
            self._clear.set()
            self._on_idle()

    def _start(self, jobs: list[ClaimedJob]) -> None:
        if self._stopping.is_asked:
            self._runner.send_back(jobs, Stop.WORKER_LEAVES)
        elif not self._lease.is_held:
            self._runner.send_back(jobs, Stop.LEASE_ENDED)
        else:
            self._runner.start(jobs)

    async def _settle_one_by_one(self, on: Executor) -> bool:
        """One end has a value that the database refuses: find it, and let it not hold up the others."""
        ids, tokens, values = self._outbox.take()
        while ids:
            one = [ids[0]], [tokens[0]], [values[0]]
            try:
                await self._send(on, 0, one)
            except Exception as exc:
                refusal = end_of(refused_end(values[0], str(exc)))
                if not _blames_a_value(exc) or values[0] == refusal:
                    self._outbox.put_back((ids, tokens, values), True)
                    return False
                emit(Event.END_REFUSED, logging.ERROR, job=ids[0], because=exc)
                values[0] = refusal
            else:
                del ids[0], tokens[0], values[0]
        self._say_if_clear()
        return True


def _blames_a_value(exc: Exception) -> bool:
    if isinstance(exc, DatabaseError):
        return (exc.sqlstate or "").startswith(_ABOUT_VALUES)
    return isinstance(exc, InvalidInput | ValueError)
