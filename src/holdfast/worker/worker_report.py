"""The counts of a worker, for its row in the database and for its caller."""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from holdfast.model.outcome import Verb


class WorkStatus(StrEnum):
    """Why a worker with a time box exited."""

    DONE = "done"
    NO_WORK = "no_work"
    OUT_OF_TIME = "out_of_time"


@dataclass(slots=True)
class WorkerReport:
    """Counts since the start. `processed`: ended attempts, of which `failed` failed. `released`: returned
    unfinished; `snoozed`: postponed by their handlers; neither counts as a failure. `unknown`: returned
    because the app has no such task. `unsettled`: ends that could not be sent before the worker had to exit.
    `dropped`: events that the hooks of `app.on_event` did not get.
    """

    processed: int = 0
    failed: int = 0
    released: int = 0
    snoozed: int = 0
    lost: int = 0
    unknown: int = 0
    unsettled: int = 0
    dropped: int = 0
    remaining: int | None = None
    continuation: UUID | None = None
    _rare: dict[Verb, int] = field(default_factory=dict, repr=False, compare=False)

    def count(self, verb: Verb) -> None:
        """Counts one attempt that ended this way."""
        if verb is Verb.COMPLETE:
            self.processed += 1
        elif verb is Verb.RELEASE:
            self.released += 1
        elif verb is Verb.SNOOZE:
            self.snoozed += 1
        else:
            self.processed += 1
            self.failed += verb is Verb.FAIL
            self._rare[verb] = self._rare.get(verb, 0) + 1

    def by_verb(self) -> dict[Verb, int]:
        """How often attempts ended in each way."""
        rare = {verb: self._rare.get(verb, 0) for verb in Verb}
        completed = self.processed - sum(rare.values())
        return rare | {
            Verb.COMPLETE: completed,
            Verb.RELEASE: self.released,
            Verb.SNOOZE: self.snoozed,
        }

    @property
    def handled(self) -> int:
        """All attempts, however they ended."""
        return self.processed + self.released + self.snoozed


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What `app.work` returns. `remaining`: jobs left in its queues or run, None
    if the database did not answer in time; `continuation`: the id of the
    requested successor, if any.
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
