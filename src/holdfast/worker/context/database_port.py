"""The port of contexts in a worker: the database."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

from holdfast.db import cached_values as db_cached
from holdfast.db import jobs as db_jobs
from holdfast.db import pipelines as db_pipelines
from holdfast.db import recorded_calls as db_calls
from holdfast.db import transaction as db_transaction
from holdfast.db import worker as db_worker
from holdfast.db.database_errors import conflicts_translated
from holdfast.model.cached_value import TakenValue
from holdfast.model.error import BadHandler
from holdfast.model.id import JobId, RunId
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText, decode
from holdfast.model.pipeline import Child, Told, Visit
from holdfast.model.progress_report import ProgressReport
from holdfast.model.recorded_call import NewCall
from holdfast.model.stage_routing import OnFailure, WaitFor
from holdfast.pipeline.models import Models, StageModels
from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.job_transaction import JobTransaction, complete
from holdfast.worker.original_process import OriginalProcess
from holdfast.worker.worker_state import WorkerState

T = TypeVar("T")


class DatabasePort:
    """Shared by the attempts of a worker. Every write carries the job's token."""

    def __init__(self, worker: WorkerState, installation: UUID) -> None:
        self.installation = str(installation)
        self.stage_models = StageModels(worker.app.pipelines.values())
        self._worker = worker
        self._database = worker.app.database
        self._loop = asyncio.get_running_loop()
        self._home = OriginalProcess()
        self._time = worker.database_time

    @property
    def resources(self) -> Any:
        return self._worker.resources

    def ends_at(self, attempt: Attempt) -> float | None:
        """By its timeout, or by the worker's time box."""
        limit, box_at = attempt.job.stop_after, self._worker.allowance.cancels_at
        ends = [] if limit is None else [attempt.began + limit.total_seconds()]
        return min([*ends, box_at] if box_at is not None else ends, default=None)

    def models(self, job: ClaimedJob) -> Models:
        return self.stage_models.around(job.queue, job.stage)

    def run_blocking(self, work: Coroutine[Any, Any, T]) -> T:
        """For a thread: the worker's loop does it. A handler in the loop would wait for itself for ever."""
        if _runs_here(self._loop):
            work.close()
            raise BadHandler(
                "ctx.blocking is for plain functions: in an async handler it would block the event loop.",
                "call the methods of ctx itself, such as await ctx.checkpoint(…)",
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def note_units(self, used: float) -> None:
        """The attempt itself has them."""

    def log_of(self, attempt: Attempt) -> AttemptLog | None:
        return self._worker.logs.log_of(attempt)

    def note_endpoint(self, is_ok: bool | None) -> None:
        """The attempt itself has it."""

    @asynccontextmanager
    async def transaction(self, attempt: Attempt, output: Any) -> AsyncIterator[JobTransaction]:
        job = attempt.job
        async with self._database.transaction() as connection:
            await db_transaction.mark(connection, job.token)
            block = JobTransaction(connection, output)
            # A forked copy must not end the worker's transaction.
            with self._home, conflicts_translated():
                yield block
            text = attempt.handler.encode_output(block.output)
            report = self._worker.progress.last_report(attempt)
            is_pooled = self._database.address.pooled
            await complete(connection, job, text, attempt.units, report, pooled=is_pooled)
        attempt.is_settled = True
        if job.run is not None:
            self._worker.run_touched()

    async def save_checkpoint(self, job: ClaimedJob, name: str, data: JsonText) -> bool:
        return await self._time.of(
            job, db_worker.save_checkpoint(self._database, job.id, job.token, name, data)
        )

    async def load_checkpoints(self, job: ClaimedJob) -> dict[str, Any]:
        saved = await self._time.of(job, db_worker.load_checkpoints(self._database, job.id))
        return {name: decode(data) for name, data in saved.items()}

    async def save_call(
        self, job: ClaimedJob, call: NewCall, checkpoint: str | None, data: JsonText | None
    ) -> bool:
        return await self._time.of(
            job, db_calls.save_call(self._database, job.id, job.token, call, checkpoint, data)
        )

    async def take_cached_value(self, job: ClaimedJob, scope: str, key: str, wait: timedelta) -> TakenValue:
        return await self._time.of(job, db_cached.take_cached_value(self._database, job, scope, key, wait))

    async def save_cached_value(
        self, job: ClaimedJob, scope: str, key: str, writer: UUID, value: JsonText, lasts: timedelta
    ) -> bool:
        saving = db_cached.save_cached_value(self._database, job, scope, key, writer, value, lasts)
        return await self._time.of(job, saving)

    async def free_cached_value(self, job: ClaimedJob, scope: str, key: str, writer: UUID) -> bool:
        return await self._time.of(job, db_cached.free_cached_value(self._database, scope, key, writer))

    async def add_labels(self, job: ClaimedJob, labels: Mapping[str, Any]) -> bool:
        return await self._time.of(job, db_worker.label_job(self._database, job.id, job.token, labels))

    async def report_progress(self, attempt: Attempt, report: ProgressReport) -> bool:
        """Kept in memory. A handler that only counts and reports must not block the loop, so each report lets
        the others go on.
        """
        await asyncio.sleep(0)
        return self._worker.progress.add(attempt, report)

    async def enqueue_child(
        self, job: ClaimedJob, task: str, payload: JsonText, options: Mapping[str, Any], *, is_bound: bool
    ) -> JobId:
        known = None if is_bound else self._worker.app.tasks.get(task)
        if known is not None:
            known.bind(decode(payload))
        fenced = {**options, "parent": str(job.id), "parent_token": str(job.token)}
        (child,) = await self._time.of(job, db_jobs.enqueue_jobs(self._database, [task], [payload], fenced))
        return child.id

    async def open_stages(self, job: ClaimedJob) -> list[str]:
        return await self._time.of(job, db_pipelines.open_stages(self._database, job.id))

    async def load_context(self, job: ClaimedJob) -> dict[str, Any]:
        return await self._time.of(job, db_pipelines.load_context(self._database, job.id))

    async def load_history(self, job: ClaimedJob) -> list[Visit]:
        return await self._time.of(job, db_pipelines.load_history(self._database, job.id))

    async def await_signal(self, job: ClaimedJob, name: str) -> Told:
        return await self._time.of(job, db_pipelines.await_signal(self._database, job.id, job.token, name))

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
        spawn = db_pipelines.spawn_children(
            self._database, job.id, job.token, name, [task], payloads, options, wait.value, on_failure.value
        )
        return await self._time.of(job, spawn)

    async def load_children(self, run: RunId) -> list[Child]:
        return await db_pipelines.load_children(self._database, run)


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
