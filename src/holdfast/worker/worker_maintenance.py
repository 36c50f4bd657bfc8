"""The maintenance tasks of a worker: those that it does for all workers, and those about itself."""

from datetime import timedelta

from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.maintenance.standard_tasks import CLOSE_RUNS, standard_tasks
from holdfast.worker.attempt.stop_requests import StopRequests
from holdfast.worker.claim.orphans import Orphans
from holdfast.worker.declarations import Declarations
from holdfast.worker.events.endpoint_watch import EndpointWatch
from holdfast.worker.suspects.suspect_workers import Isolation, SuspectWorkers
from holdfast.worker.worker_state import ATTEMPT_LOGS, JOB_EVENTS, PROGRESS, STOP_REQUESTS, WorkerState

SUSPECTS = "suspects"
# One statement for the lines of all attempts: soon after an end, for readers who follow, but never many.
LOGS_EVERY = timedelta(seconds=2)
LOGS_SOONEST = timedelta(seconds=1)
# One statement for the reports of all attempts, however often their handlers report.
PROGRESS_EVERY = timedelta(seconds=2)
PROGRESS_SOONEST = timedelta(seconds=0.5)


def maintenance_tasks(
    worker: WorkerState, declarations: Declarations, suspects: SuspectWorkers
) -> list[MaintenanceTask]:
    sweep, requests = worker.options.sweep, StopRequests(worker)
    lost_successors = MaintenanceTask("continuations", sweep, worker.succession.look)
    return [
        *_shared_tasks(worker, suspects),
        *([lost_successors] if worker.options.continuing.callback is not None else []),
        *declarations.maintenance_tasks(),
        MaintenanceTask(STOP_REQUESTS, sweep, requests.forward, soonest=timedelta(milliseconds=20)),
        MaintenanceTask("orphans", 2 * sweep, Orphans(worker).release),
        MaintenanceTask("reclaimed", sweep, requests.kill_reclaimed),
        MaintenanceTask("endpoints", sweep, EndpointWatch(worker.events.endpoints).look),
        MaintenanceTask(JOB_EVENTS, sweep, worker.events.read),
        MaintenanceTask(ATTEMPT_LOGS, LOGS_EVERY, worker.logs.send, soonest=LOGS_SOONEST),
        MaintenanceTask(PROGRESS, PROGRESS_EVERY, worker.progress.send, soonest=PROGRESS_SOONEST),
        MaintenanceTask("log_settings", 2 * sweep, worker.logs.read_settings),
    ]


def _shared_tasks(worker: WorkerState, suspects: SuspectWorkers) -> list[MaintenanceTask]:
    sweep = worker.options.sweep
    if worker.options.internal:
        return []
    match worker.options.isolation:
        case Isolation.SELF:
            return standard_tasks(sweep)
        case Isolation.CHILDREN:
            start = MaintenanceTask(SUSPECTS, 2 * sweep, suspects.start, at_once=True)
            return [*standard_tasks(sweep, on_rescue=lambda: worker.sweeper.hurry(SUSPECTS)), start]
        case Isolation.ONLY:
            # Its parent does the other maintenance tasks. A run whose last job it ends is closed at once.
            return [task for task in standard_tasks(sweep) if task.name == CLOSE_RUNS]
