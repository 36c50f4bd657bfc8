"""The port of a JobContext: everything that it reads and writes outside its own attempt.

`DatabasePort` implements it in a worker, for handlers in the loop and in threads. `PipePort` implements it in
a child process, and sends each request to the worker, which answers it through its `DatabasePort`.
"""

from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Protocol, TypeVar
from uuid import UUID

from holdfast.model.cached_value import TakenValue
from holdfast.model.id import JobId, RunId
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText
from holdfast.model.pipeline import Child, Told, Visit
from holdfast.model.progress_report import ProgressReport
from holdfast.model.recorded_call import NewCall
from holdfast.model.stage_routing import OnFailure, WaitFor
from holdfast.pipeline.models import Models
from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.job_transaction import JobTransaction

T = TypeVar("T")


class ContextPort(Protocol):
    """A write returns false if the worker no longer holds the job; it has changed nothing then."""

    @property
    def installation(self) -> str:
        """The first part of every idempotency key."""

    @property
    def resources(self) -> Any:
        """What the app's `@app.resources` yielded in this process, or NONE."""

    def ends_at(self, attempt: Attempt) -> float | None:
        """When the attempt is cancelled at the latest, on the monotonic clock."""

    def models(self, job: ClaimedJob) -> Models:
        """The output models of the job's pipeline, by stage."""

    def run_blocking(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, for a plain function that waits for it."""

    def note_units(self, used: float) -> None:
        """The attempt has just added these units."""

    def note_endpoint(self, is_ok: bool | None) -> None:
        """The handler has just said this about its endpoint."""

    def log_of(self, attempt: Attempt) -> AttemptLog | None:
        """Where the lines go that the handler logs; None if they are not kept."""

    def transaction(self, attempt: Attempt, output: Any) -> AbstractAsyncContextManager[JobTransaction]: ...

    async def save_checkpoint(self, job: ClaimedJob, name: str, data: JsonText) -> bool: ...

    async def load_checkpoints(self, job: ClaimedJob) -> dict[str, Any]: ...

    async def save_call(
        self, job: ClaimedJob, call: NewCall, checkpoint: str | None, data: JsonText | None
    ) -> bool: ...

    async def take_cached_value(
        self, job: ClaimedJob, scope: str, key: str, wait: timedelta
    ) -> TakenValue: ...

    async def save_cached_value(
        self, job: ClaimedJob, scope: str, key: str, writer: UUID, value: JsonText, lasts: timedelta
    ) -> bool: ...

    async def free_cached_value(self, job: ClaimedJob, scope: str, key: str, writer: UUID) -> bool: ...

    async def add_labels(self, job: ClaimedJob, labels: Mapping[str, Any]) -> bool: ...

    async def report_progress(self, attempt: Attempt, report: ProgressReport) -> bool:
        """Stored within a second, with the reports of other jobs. False once it is known that the worker no
        longer holds the job.
        """

    async def enqueue_child(
        self, job: ClaimedJob, task: str, payload: JsonText, options: Mapping[str, Any], *, is_bound: bool
    ) -> JobId:
        """`is_bound`: the payload was already checked against the task's handler."""

    async def open_stages(self, job: ClaimedJob) -> list[str]: ...

    async def load_context(self, job: ClaimedJob) -> dict[str, Any]: ...

    async def load_history(self, job: ClaimedJob) -> list[Visit]: ...

    async def await_signal(self, job: ClaimedJob, name: str) -> Told: ...

    async def spawn_children(
        self,
        job: ClaimedJob,
        name: str,
        task: str,
        payloads: list[JsonText],
        options: Mapping[str, Any],
        wait: WaitFor,
        on_failure: OnFailure,
    ) -> tuple[RunId, bool]:
        """The run of the children, and whether the job need not wait for them."""

    async def load_children(self, run: RunId) -> list[Child]: ...
