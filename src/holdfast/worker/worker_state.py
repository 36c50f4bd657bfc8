"""What the parts of one running worker share, and what news from the database changes in it."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from holdfast.db.listen import CANCEL, FLAGS, READY
from holdfast.maintenance.standard_tasks import CLOSE_RUNS, RESCUE
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.flag import AUTO, WorkerFlags, WorkerSizes
from holdfast.model.worker import LeftAs, Renewal
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.attempt.running_attempt import Stop
from holdfast.worker.claim.slots import Slots
from holdfast.worker.claim.wake import Wake
from holdfast.worker.context.database_time import DatabaseTime
from holdfast.worker.events.job_events import JobEvents
from holdfast.worker.lease.lease import Lease, Registration
from holdfast.worker.logs.attempt_logs import AttemptLogs
from holdfast.worker.metrics.loop_watch import LoopWatch
from holdfast.worker.metrics.process_gauges import ProcessGauges
from holdfast.worker.options import WorkerOptions
from holdfast.worker.progress.progress_reports import ProgressReports
from holdfast.worker.resources import NONE
from holdfast.worker.settle.outbox import Outbox
from holdfast.worker.shutdown.stopping import Stopping
from holdfast.worker.suspects.suspect_workers import Isolation
from holdfast.worker.time_box.allowance import Allowance
from holdfast.worker.time_box.succession import Succession
from holdfast.worker.worker_app import WorkerApp
from holdfast.worker.worker_connection import WorkerConnection, listening_connection
from holdfast.worker.worker_report import WorkerReport

# Maintenance tasks that also run at once, after news of a cancel request, a failure, a log or progress.
STOP_REQUESTS = "stop_requests"
JOB_EVENTS = "job_events"
ATTEMPT_LOGS = "attempt_logs"
PROGRESS = "progress"


class WorkerState:
    """Changed only in the worker's event loop; the thread of the lease reads its numbers.

    Three connections: `main` for one settle loop, `side` for the other one, LISTEN and maintenance tasks, and
    that of the lease. Handlers that use checkpoints or transactions take theirs from the application's own
    pool.
    """

    sweeper: Sweeper  # set before the worker registers

    def __init__(
        self,
        app: WorkerApp,
        options: WorkerOptions,
        registration: Registration,
        sizes: WorkerSizes | None = None,
        report: WorkerReport | None = None,
        stopping: Stopping | None = None,
        resources: Any = NONE,
    ) -> None:
        self.app = app
        self.options = options
        self.registration = registration
        self.me = registration.worker
        self.report = report or WorkerReport()
        self.stopping = stopping or Stopping()
        self.resources = resources
        self.sizes = sizes or options.sizes({})
        self.slots = Slots(self.sizes.slots)
        self._resize()
        self.outbox = Outbox()
        self.wake = Wake(self._may_poll_seldom)
        self.events = JobEvents(self.me, self._read_results)
        self.logs = AttemptLogs(options.queues, self.slots.running, self._send_logs)
        self.database_time = DatabaseTime()
        self.watch = LoopWatch(lambda: self.report.handled)
        self.gauges = ProcessGauges(self.watch)
        self.progress = ProgressReports(self.slots.running, self._send_progress)
        self.calls: set[float] = set()  # when each running settle_and_claim began
        self.left_as = LeftAs.STOPPED
        self.claims_left = 1 if options.once else None  # None: unlimited
        self.idle = asyncio.Event()  # set when nothing runs, waits to be sent, or is being sent
        address = app.database.address
        self.main = WorkerConnection(address, "worker", timeout=options.lease)
        channels = {READY: self._on_ready, CANCEL: self._on_cancel, FLAGS: self._on_flags}
        self.side = listening_connection(address, "worker side", channels, self.wake.ring, options.lease)
        self.lease = Lease(address, registration, options.lease, self)
        self.succession = Succession(options.continuing, options.box, registration, options.group or "")
        self.allowance = Allowance(options.box, self.succession)

    @property
    def is_clear(self) -> bool:
        """No job runs, no end waits to be sent, no call is running."""
        return not self.slots.running and not self.outbox.ids and not self.calls

    def may_claim(self) -> bool:
        if self.claims_left == 0 or self.stopping.asked.is_set():
            return False
        return self.slots.free > 0 and self.lease.is_held and self.allowance.may_claim()

    def run_touched(self) -> None:
        """A job of a run has ended: the run may have ended, too."""
        self.sweeper.hurry(CLOSE_RUNS)

    def status(self) -> Mapping[str, Any]:
        """Read by the lease's thread: numbers only."""
        return {
            "processed": self.report.processed,
            "failed": self.report.failed,
            "released": self.report.released,
            "running": len(self.slots.running),
            "state": "draining" if self.stopping.is_asked else "working",
            "database": self.database_time.told(),
            **self.gauges.read(),
            **asdict(self.sizes),
        }

    def lease_renewed(self, answer: Renewal) -> None:
        if answer.rescued or not answer.known:
            emit(Event.JOBS_TAKEN, worker=self.me, running=len(self.slots.running))
            # This releases the jobs that were not taken after all; for the others it changes nothing.
            self.slots.stop_all(Stop.LEASE_EXPIRED)
            self.wake.ring()
        if answer.drain:
            self.stopping.begin()
        if answer.known:
            self._follow(answer.flags)
        self.wake.nudge()  # without a lease there were no polls; an overdue one runs now

    def lease_expired(self) -> None:
        self.slots.stop_all(Stop.LEASE_EXPIRED)

    def tell_sizes(self, before: WorkerSizes) -> None:
        """Logs what a flag has changed."""
        was, now = asdict(before), asdict(self.sizes)
        for flag in ("slots", "claim_size"):
            if was[flag] != now[flag]:
                emit(
                    Event.FLAG_APPLIED,
                    worker=self.me,
                    flag=flag,
                    before=was[flag] or AUTO,
                    after=now[flag] or AUTO,
                    source=now[f"{flag}_from"],
                )

    def _follow(self, flags: WorkerFlags) -> None:
        """Jobs that run beyond fewer slots go on; nothing is claimed until they have ended."""
        before, self.sizes = self.sizes, self.options.sizes(flags)
        if self.sizes == before:
            return
        self._resize()
        self.tell_sizes(before)
        self.lease.renew_soon()  # so that its row says so
        self.wake.ring()
        self.wake.nudge_all()  # a loop without free slots waits for no moment

    def _resize(self) -> None:
        """At most half of the slots per call, so that the other loop has work at the same time."""
        total = self.slots.total = self.sizes.slots
        most = total if self.options.once else (total + 1) // 2
        self.slots.most = min(most, self.sizes.claim_size or most)

    def _on_flags(self, _connection: object, _pid: int, _channel: str, flag: object) -> None:
        if flag == "rescue" and self.options.isolation is not Isolation.ONLY:
            self.sweeper.hurry(RESCUE)
        elif flag in ("slots", "claim_size"):
            self.lease.renew_soon()

    def _on_ready(self, _connection: object, _pid: int, _channel: str, queue: object) -> None:
        if queue in self.options.queues:
            self.wake.ring()

    def _on_cancel(self, _connection: object, _pid: int, _channel: str, worker: object) -> None:
        if worker == str(self.me):
            self.sweeper.hurry(STOP_REQUESTS)

    def _read_results(self) -> None:
        self.sweeper.hurry(JOB_EVENTS)

    def _send_logs(self) -> None:
        self.sweeper.hurry(ATTEMPT_LOGS)

    def _send_progress(self) -> None:
        self.sweeper.hurry(PROGRESS)

    def _may_poll_seldom(self) -> bool:
        return self.side.is_listening and not self.options.drain
