"""One run of a worker, from its registration to its exit."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

from holdfast.db.continuations import usual_run_time
from holdfast.db.maintenance import make_partitions
from holdfast.db.worker import installation_id
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.error import HoldfastError
from holdfast.model.worker import LeftAs
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.attempt.attempt_runner import AttemptRunner
from holdfast.worker.attempt.running_attempt import Stop
from holdfast.worker.attempt.traced_attempts import TracedAttemptRunner
from holdfast.worker.context.database_port import DatabasePort
from holdfast.worker.declarations import Declarations
from holdfast.worker.lock_watch import locks_watched
from holdfast.worker.metrics.metrics_server import metrics_served
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.settle.settle_loop import SettleLoop
from holdfast.worker.shutdown.remaining_jobs import count_remaining, log_remaining
from holdfast.worker.shutdown.shutdown import Shutdown
from holdfast.worker.suspects.suspect_workers import SuspectWorkers
from holdfast.worker.time_box.hard_stop import HardStop
from holdfast.worker.time_box.time_box import GONE, TimeBox
from holdfast.worker.worker_maintenance import SUSPECTS, maintenance_tasks
from holdfast.worker.worker_state import WorkerState

# A worker for suspects exits after this long without one; until then the next suspect need not wait for a
# start.
LINGER = timedelta(seconds=10)


class WorkerRun:
    def __init__(self, worker: WorkerState, declarations: Declarations) -> None:
        self._worker = worker
        self._declarations = declarations
        self._is_broken = False
        self._hard_stop: HardStop | None = None
        options = worker.options
        self._suspects = SuspectWorkers(
            worker.me, options.suspects_with or (), options.lease, lambda: worker.sweeper.hurry(SUSPECTS)
        )

    async def work(self) -> None:
        worker = self._worker
        connections = [worker.main, worker.side, worker.lease.connection]
        async with locks_watched(connections), metrics_served(worker):
            try:
                if await self._begin():
                    with worker.logs.captured():
                        await self._work()
            finally:
                await self._end()

    async def _begin(self) -> bool:
        """False if another worker has already taken this worker's continuation."""
        worker = self._worker
        await make_partitions(worker.main)
        if worker.options.box is not None:
            worker.allowance.know(await usual_run_time(worker.main, worker.options.queues))
        await worker.logs.read_settings(worker.main)
        port = DatabasePort(worker, await installation_id(worker.main))
        tracer = worker.app.tracer
        self._attempts = (
            AttemptRunner(worker, port) if tracer is None else TracedAttemptRunner(worker, port, tracer)
        )
        self._settling = SettleLoop(worker, self._attempts)
        tasks = maintenance_tasks(worker, self._declarations, self._suspects)
        worker.sweeper = Sweeper(worker.side, tasks, lives_shortly=worker.options.box is not None)
        return await self._register()

    async def _register(self) -> bool:
        worker, sent_at = self._worker, monotonic()
        if not await worker.succession.register(worker.main):
            worker.report.remaining = 0
            emit(Event.CONTINUATION_TAKEN, worker=worker.me)
            return False
        worker.lease.start(sent_at)
        if (box := worker.options.box) is not None:
            self._hard_stop = HardStop(worker.app.database.address, worker.me, box, worker.lease.give_up)
        if (wait := worker.succession.opens_in) > 0:
            asyncio.get_running_loop().call_later(wait, worker.wake.ring)
        emit(Event.WORKER_STARTED, worker=worker.me, queues=",".join(worker.options.queues))
        worker.tell_sizes(worker.options.sizes({}))
        if worker.options.on_registered is not None:
            worker.options.on_registered()
        return True

    async def _work(self) -> None:
        worker = self._worker
        tasks = [
            OwnTask(self._settling.run(worker.main)),
            OwnTask(self._settling.run(worker.side)),
            OwnTask(worker.sweeper.run()),
            OwnTask(worker.watch.run()),
        ]
        try:
            await self._until_told(tasks)
            await self._leave()
        except BaseException as exc:
            self._is_broken = not isinstance(exc, asyncio.CancelledError)
            raise
        finally:
            # Only if this worker was cancelled, or crashed.
            worker.slots.stop_all(Stop.WORKER_LEAVES)
            await end_all(tasks)
            self._suspects.stop()
            await self._close_suspects(worker.options.grace)
            await self._attempts.close_processes(self._time_left)
            await self._attempts.close_handlers()

    @property
    def _time_left(self) -> timedelta:
        options = self._worker.options
        return (
            self._worker.stopping.left_of(options.grace) if options.box is None else options.box.left_to(GONE)
        )

    async def _until_told(self, tasks: list[OwnTask[None]]) -> None:
        """Until a stop request, the end of the work, or a crash of one of its own tasks, which is a bug."""
        worker, options = self._worker, self._worker.options
        ends: list[OwnTask[Any]] = [OwnTask(worker.stopping.asked.wait())]
        if options.drain or options.once or options.box is not None:
            ends.append(OwnTask(self._until_empty()))
        if options.only_suspects:
            ends.append(OwnTask(self._until_idle()))
        if options.box is not None:
            ends.append(OwnTask(_until_end_of(options.box)))
        elif options.drain:
            ends.append(OwnTask(log_remaining(worker)))
        try:
            await asyncio.wait([*tasks, *ends], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end_all(ends)
        for task in [*tasks, *ends]:
            if task.done() and not task.cancelled():
                found = await task
                if isinstance(found, LeftAs) and not worker.stopping.is_asked:
                    worker.left_as = found

    async def _until_empty(self) -> LeftAs:
        worker = self._worker
        while True:
            await worker.idle.wait()
            worker.idle.clear()
            if worker.options.once or await self._is_empty():
                return LeftAs.DONE
            if worker.is_clear and not worker.allowance.may_ever_claim():
                return LeftAs.TIME_BOX

    async def _until_idle(self) -> LeftAs:
        worker, handled = self._worker, -1
        while handled != worker.report.handled or not worker.is_clear:
            handled = worker.report.handled
            await asyncio.sleep(LINGER.total_seconds())
        return LeftAs.DONE

    async def _is_empty(self) -> bool:
        """Maintenance tasks first: a run that ends enqueues its last job, or resumes a parent, only when it
        is closed.

        A job that ended after the maintenance task may have been the last of its run: check again.
        """
        worker = self._worker
        ended = worker.report.processed
        await worker.sweeper.run_once()
        with suppress(HoldfastError):  # also a timeout of the server; the check is repeated
            is_empty = await count_remaining(worker) == 0 and worker.is_clear
            return is_empty and worker.report.processed == ended
        return False

    async def _leave(self) -> None:
        worker = self._worker
        emit(Event.WORKER_STOPPING, worker=worker.me, running=len(worker.slots.running))
        worker.stopping.begin()
        self._suspects.stop()
        began = monotonic()
        await Shutdown(worker, self._attempts, self._settling).leave()
        await self._close_suspects(worker.options.grace - timedelta(seconds=monotonic() - began))
        await self._hand_over()
        self._attempts.close()

    async def _close_suspects(self, grace: timedelta) -> None:
        """Forwards a second stop request, also while it waits."""
        hurry = OwnTask(self._hurry_suspects())
        try:
            await self._suspects.close(grace)
        finally:
            await end_all([hurry])

    async def _hurry_suspects(self) -> None:
        await self._worker.stopping.hurry.wait()
        self._suspects.stop()

    async def _hand_over(self) -> None:
        worker = self._worker
        if self._hard_stop is not None and worker.is_clear:
            self._hard_stop.settled()
        size = worker.sizes.claim_size or worker.allowance.capacity(worker.slots.total, worker.report.handled)
        await worker.succession.hand_over(worker.main, worker.report, size)

    async def _end(self) -> None:
        """Renewal stops last, but before the row is closed: a later renewal would open it again."""
        worker = self._worker
        worker.report.unsettled = len(worker.outbox)
        await worker.lease.stop()
        if self._is_broken:
            # One of its jobs may have crashed it: they are lost when the lease expires, and losses are
            # counted.
            emit(Event.WORKER_NOT_UNREGISTERED, worker=worker.me, because="it crashed")
        else:
            status = {**worker.status(), "left_as": worker.left_as}
            await worker.registration.sign_off(worker.main, status, worker.allowance.goodbye)
        await worker.events.close(worker.main, self._time_left)
        await worker.logs.close(worker.main, self._time_left)
        await worker.main.close()
        await worker.side.close()
        if self._hard_stop is not None:
            self._hard_stop.settled()
        emit(Event.WORKER_STOPPED, worker=worker.me, processed=worker.report.processed)


async def _until_end_of(box: TimeBox) -> LeftAs:
    await asyncio.sleep(box.left_to(1.0).total_seconds())
    return LeftAs.TIME_BOX
