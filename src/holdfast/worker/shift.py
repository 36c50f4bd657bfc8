"""One worker at work, from its registration to its leave."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

from holdfast.db.chores import make_partitions
from holdfast.db.continuations import usual_run_time
from holdfast.db.listen import CANCEL, READY
from holdfast.db.worker import installation_id
from holdfast.maintenance.chore import Chore
from holdfast.maintenance.chores import CLOSE_RUNS, standard_chores
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.worker import Renewal
from holdfast.pipeline.models import StageModels
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.allowance import Allowance
from holdfast.worker.context import Services
from holdfast.worker.declarations import Declarations
from holdfast.worker.drain import Departure
from holdfast.worker.hard_stop import HardStop
from holdfast.worker.lease import Lease, LeaseEvents, Registration
from holdfast.worker.line import Line, listening_line
from holdfast.worker.lock_watch import locks_watched
from holdfast.worker.options import WorkerOptions
from holdfast.worker.orphans import Orphans
from holdfast.worker.outbox import Outbox
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.processes.taken import Taken
from holdfast.worker.remainder import Remainder
from holdfast.worker.report import WorkerReport
from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.settle import Claiming, Settler
from holdfast.worker.slots import Slots
from holdfast.worker.stop_requests import StopRequests
from holdfast.worker.stopping import Stopping
from holdfast.worker.succession import Succession
from holdfast.worker.suspects import Isolation, SuspectWorkers
from holdfast.worker.tasks import WorkerApp
from holdfast.worker.timebox import GONE
from holdfast.worker.wake import Wake

STOP_REQUESTS = "stop_requests"
ORPHANS = "orphans"
TAKEN = "taken"
CONTINUATIONS = "continuations"
SUSPECTS = "suspects"
# A worker for suspects that finds none for so long leaves; until then the next one need not wait for a start.
LINGER = timedelta(seconds=10)


class Shift:
    """Holds three connections: the main line for one loop, the side line for the other loop, LISTEN and
    chores, and the lease's.

    Handlers that use checkpoints, progress or transactions take theirs from the application's own pool.
    """

    def __init__(
        self,
        app: WorkerApp,
        options: WorkerOptions,
        registration: Registration,
        declarations: Declarations,
        report: WorkerReport,
        stopping: Stopping,
        resources: Any,
    ) -> None:
        self._app = app
        self._resources = resources
        self._options = options
        self._registration = registration
        self._me = registration.worker
        self._declarations = declarations
        self._report = report
        self._stopping = stopping
        self._is_broken = False
        self._idle = asyncio.Event()
        self._slots = Slots(options.slots)
        self._outbox = Outbox()
        self._wake = Wake(self._may_poll_seldom)
        address = app.database.address
        self._main = Line(address, "worker", timeout=options.lease)
        channels = {READY: self._on_ready, CANCEL: self._on_cancel}
        self._side = listening_line(address, "worker side", channels, self._wake.ring, options.lease)
        self._remainder = Remainder(self._side, self._me, options)
        events = LeaseEvents(self._on_answer, self._on_lease_end)
        self._lease = Lease(address, registration, options.lease, self._status, events)
        self._succession = Succession(options.continuing, options.box, registration, options.group or "")
        self._allowance = Allowance(options.box, self._succession)
        self._hard_stop: HardStop | None = None
        self._suspects = SuspectWorkers(
            self._me, options.suspects_with or (), options.lease, self._start_suspects
        )

    async def work(self) -> None:
        async with locks_watched([self._main, self._side, self._lease.line]):
            try:
                if await self._begin():
                    await self._work()
            finally:
                await self._end()

    async def _work(self) -> None:
        tasks = [
            OwnTask(self._settler.run(self._main)),
            OwnTask(self._settler.run(self._side)),
            OwnTask(self._sweeper.run()),
        ]
        try:
            await self._until_told(tasks)
            await self._leave()
        except BaseException as exc:
            self._is_broken = not isinstance(exc, asyncio.CancelledError)
            raise
        finally:
            # Only if this worker was itself cancelled, or broke.
            self._runner.stop_all(Stop.WORKER_LEAVES)
            await end_all(tasks)
            self._suspects.stop()
            await self._close_suspects(self._options.grace)
            await self._runner.end_processes(self._time_left)
            await self._runner.close_handlers()

    @property
    def _time_left(self) -> timedelta:
        box = self._options.box
        return self._stopping.left_of(self._options.grace) if box is None else box.left_to(GONE)

    async def _begin(self) -> bool:
        """False if another worker has taken the continuation that this one was started for."""
        await make_partitions(self._main)
        if self._options.box is not None:
            self._allowance.know(await usual_run_time(self._main, self._options.queues))
        found = await installation_id(self._main)
        services = Services(
            self._app.database,
            found,
            self._run_touched,
            self._allowance.cancels_at,
            StageModels(self._app.pipelines.values()),
            self._app.tasks,
            self._resources,
        )
        self._runner = Runner(
            self._app,
            self._slots,
            self._outbox,
            self._wake,
            self._report,
            services,
            self._options.app_path,
            self._allowance.durations,
        )
        self._settler = Settler(
            self._me,
            self._slots,
            self._outbox,
            self._wake,
            self._lease,
            self._runner,
            self._report,
            self._claiming(),
            self._stopping,
            self._idle.set,
            self._run_touched,
        )
        self._sweeper = Sweeper(self._side, self._chores(), lives_shortly=self._options.box is not None)
        return await self._register()

    async def _register(self) -> bool:
        sent_at = monotonic()
        if not await self._succession.register(self._main):
            self._report.remaining = 0
            emit(Event.CONTINUATION_TAKEN, worker=self._me)
            return False
        self._lease.start(sent_at)
        if (box := self._options.box) is not None:
            self._hard_stop = HardStop(self._app.database.address, self._me, box, self._lease.give_up)
        if (wait := self._succession.opens_in) > 0:
            asyncio.get_running_loop().call_later(wait, self._wake.ring)
        emit(Event.WORKER_STARTED, worker=self._me, queues=",".join(self._options.queues))
        if self._options.on_registered is not None:
            self._options.on_registered()
        return True

    def _claiming(self) -> Claiming:
        """Half of the slots at most for one call, so that the other loop has work at the same time."""
        once, total = self._options.once, self._slots.total
        most = total if once else (total + 1) // 2
        most = min(most, self._options.claim_size or most)
        return Claiming(most, 1 if once else None, self._allowance.may_claim)

    async def _until_told(self, tasks: list[OwnTask[None]]) -> None:
        """Until somebody says stop, the work is done, or a task breaks, which is a defect of ours."""
        ends: list[OwnTask[Any]] = [OwnTask(self._stopping.asked.wait())]
        if self._options.drain or self._options.once or self._options.box is not None:
            ends.append(OwnTask(self._until_empty()))
        if self._options.only_suspects:
            ends.append(OwnTask(self._until_idle()))
        if self._options.box is not None:
            ends.append(OwnTask(asyncio.sleep(self._options.box.left_to(1.0).total_seconds())))
        elif self._options.drain:
            ends.append(OwnTask(self._remainder.tell()))
        try:
            await asyncio.wait([*tasks, *ends], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_all(ends)
        for task in [*tasks, *ends]:
            if task.done() and not task.cancelled():
                await task

    async def _until_empty(self) -> None:
        while True:
            await self._idle.wait()
            self._idle.clear()
            if self._options.once or await self._is_empty():
                return
            if self._settler.is_clear and not self._allowance.may_ever_claim():
                return

    async def _until_idle(self) -> None:
        handled = -1
        while handled != self._report.handled or not self._settler.is_clear:
            handled = self._report.handled
            await asyncio.sleep(LINGER.total_seconds())

    async def _is_empty(self) -> bool:
        """Chores first: a run that ends enqueues its last job, or resumes a parent, only when it is closed.

        A job that ended meanwhile may have been the last of a run, after its chore was done: look again.
        """
        ended = self._report.processed
        await self._sweeper.run_once()
        with suppress(DatabaseUnavailable):  # its owner tells, and it is asked again
            left = await self._remainder.count(self._succession.run)
            is_empty = left == 0 and self._settler.is_clear
            return is_empty and self._report.processed == ended
        return False

    async def _leave(self) -> None:
        emit(Event.WORKER_STOPPING, worker=self._me, running=len(self._slots.running))
        self._stopping.begin()
        self._suspects.stop()
        departure = Departure(self._settler, self._slots, self._runner, self._stopping.hurry)
        began = monotonic()
        await departure.leave(self._options.grace, self._options.box)
        await self._close_suspects(self._options.grace - timedelta(seconds=monotonic() - began))
        await self._hand_over()
        self._runner.close()

    async def _close_suspects(self, grace: timedelta) -> None:
        """A second word is passed on, also while it waits."""
        hurry = OwnTask(self._hurry_suspects())
        try:
            await self._suspects.close(grace)
        finally:
            await end_all([hurry])

    async def _hurry_suspects(self) -> None:
        await self._stopping.hurry.wait()
        self._suspects.stop()

    async def _hand_over(self) -> None:
        if self._hard_stop is not None and self._settler.is_clear:
            self._hard_stop.settled()
        size = self._options.claim_size or self._allowance.capacity(self._slots.total, self._report.handled)
        await self._succession.hand_over(self._main, self._report, size)

    async def _end(self) -> None:
        """Renewal stops last, and before the row is closed: a renewal after that would open it again."""
        self._report.unsettled = len(self._outbox)
        await self._lease.stop()
        if self._is_broken:
            # One of its jobs may have broken it: they are lost when the lease ends, and losses are counted.
            emit(Event.WORKER_NOT_SIGNED_OFF, logging.ERROR, worker=self._me, because="it broke")
        else:
            await self._registration.sign_off(self._main, self._status(), self._allowance.goodbye)
        await self._main.close()
        await self._side.close()
        if self._hard_stop is not None:
            self._hard_stop.settled()
        emit(Event.WORKER_STOPPED, worker=self._me, processed=self._report.processed)

    def _chores(self) -> list[Chore]:
        sweep = self._options.sweep
        orphans = Orphans(self._me, self._slots, self._outbox, self._settler, self._wake)
        requests = StopRequests(self._me, self._slots, self._runner)
        look = Chore(CONTINUATIONS, sweep, self._succession.look)
        return [
            *self._shared_chores(),
            *([look] if self._options.continuing.callback is not None else []),
            *self._declarations.chores(),
            Chore(STOP_REQUESTS, sweep, requests.obey, soonest=timedelta(milliseconds=20)),
            Chore(ORPHANS, 2 * sweep, orphans.release),
            Chore(TAKEN, sweep, Taken(self._me, self._slots).stop),
        ]

    def _shared_chores(self) -> list[Chore]:
        sweep = self._options.sweep
        match self._options.isolation:
            case Isolation.SELF:
                return standard_chores(sweep)
            case Isolation.CHILDREN:
                start = Chore(SUSPECTS, 2 * sweep, self._suspects.start, at_once=True)
                return [*standard_chores(sweep, on_rescue=self._start_suspects), start]
            case Isolation.ONLY:
                # Its parent does the others. A run whose last job it ends is closed at once.
                return [chore for chore in standard_chores(sweep) if chore.name == CLOSE_RUNS]

    def _may_poll_seldom(self) -> bool:
        return self._side.is_listening and not self._options.drain

    def _on_ready(self, queue: str) -> None:
        if queue in self._options.queues:
            self._wake.ring()

    def _on_cancel(self, worker: str) -> None:
        if worker == str(self._me):
            self._sweeper.hurry(STOP_REQUESTS)

    def _start_suspects(self) -> None:
        self._sweeper.hurry(SUSPECTS)

    def _run_touched(self) -> None:
        self._sweeper.hurry(CLOSE_RUNS)

    def _on_answer(self, answer: Renewal) -> None:
        if answer.rescued or not answer.known:
            emit(Event.JOBS_TAKEN, logging.WARNING, worker=self._me, running=len(self._slots.running))
            # Those that were not taken after all go back by this; for the others it changes nothing.
            self._runner.stop_all(Stop.LEASE_ENDED)
            self._wake.ring()
        if answer.drain:
            self._stopping.begin()
        self._wake.nudge()  # without a lease nobody waited for a poll; if that is overdue, it comes now

    def _on_lease_end(self) -> None:
        self._runner.stop_all(Stop.LEASE_ENDED)

    def _status(self) -> Mapping[str, Any]:
        """Read by the lease's thread: numbers only."""
        return {
            "processed": self._report.processed,
            "failed": self._report.failed,
            "released": self._report.released,
            "running": len(self._slots.running),
            "state": "draining" if self._stopping.is_asked else "working",
        }
