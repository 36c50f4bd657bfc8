"""What a worker has done, for the row that people see and for whoever started it."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from holdfast.model.outcome import Verb


class WorkStatus(StrEnum):
    """Why a worker with a time box left."""

    DONE = "done"
    NO_WORK = "no_work"
    OUT_OF_TIME = "out_of_time"


@dataclass(slots=True)
class WorkerReport:
    """Counts since the start. `processed`: attempts that ended, well or badly; `failed` of them badly.
    `released`: given back unfinished; `snoozed`: put off by their handlers; both cost the jobs nothing.
    `unknown`: sent back because the app has no such task. `unsettled`: ends that could not be sent before it
    had to leave.
    """

    processed: int = 0
    failed: int = 0
    released: int = 0
    snoozed: int = 0
    lost: int = 0
    unknown: int = 0
    unsettled: int = 0
    remaining: int | None = None
    continuation: UUID | None = None

    def count(self, verb: Verb) -> None:
        """One attempt that ended so."""
        if verb is Verb.RELEASE:
            self.released += 1
        elif verb is Verb.SNOOZE:
            self.snoozed += 1
        else:
            self.processed += 1
            self.failed += verb is Verb.FAIL

    @property
    def handled(self) -> int:
        """All attempts, however they ended."""
        return self.processed + self.released + self.snoozed


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What `app.work` returns. `remaining`: jobs left for its queues or run, None
    if the database could not be asked any more; `continuation`: the id of the
    successor that was sent for, if one was.
    """

    processed: int
    failed: int
    released: int
    remaining: int | None
    status: WorkStatus
    continuation: str | None = None


def work_report(report: WorkerReport) -> WorkReport:
    if report.remaining != 0:
        status = WorkStatus.OUT_OF_TIME
    else:
        status = WorkStatus.DONE if report.handled else WorkStatus.NO_WORK
    known = None if report.continuation is None else str(report.continuation)
    return WorkReport(report.processed, report.failed, report.released, report.remaining, status, known)
