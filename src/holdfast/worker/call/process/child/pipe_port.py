"""The port of contexts in a child process: requests to the worker."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, NoReturn, TypeVar
from uuid import UUID

from holdfast.model.cached_value import TakenValue, Taking
from holdfast.model.error import BadHandler
from holdfast.model.id import JobId, RunId
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText, decode, encode
from holdfast.model.pipeline import Child, Told, Visit
from holdfast.model.progress_report import ProgressReport
from holdfast.model.recorded_call import NewCall
from holdfast.model.stage_routing import OnFailure, WaitFor
from holdfast.model.state import State
from holdfast.pipeline.models import Models
from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.call.process.child.parent_connection import ParentConnection

T = TypeVar("T")


class PipePort:
    """Of one attempt. The worker knows its job, and does each request through its own port."""

    def __init__(
        self, worker: ParentConnection, installation: str, resources: Any, ends_at: float | None
    ) -> None:
        self.installation = installation
        self.resources = resources  # of this process
        self._worker = worker
        self._ends_at = ends_at

    def ends_at(self, attempt: Attempt) -> float | None:
        return self._ends_at

    def models(self, job: ClaimedJob) -> Models:
        """None here: the worker has them, and checks the output."""
        return {}

    def run_blocking(self, work: Coroutine[Any, Any, T]) -> T:
        """A plain function has the process to itself."""
        return asyncio.run(work)

    def note_units(self, used: float) -> None:
        """Sent at once: they count even if the process is killed."""
        self._worker.send({"units": used})

    def note_endpoint(self, is_ok: bool | None) -> None:
        """Sent at once, like units."""
        self._worker.send({"endpoint_ok": is_ok})

    def log_of(self, attempt: Attempt) -> AttemptLog | None:
        return attempt.log

    def transaction(self, attempt: Attempt, output: Any) -> NoReturn:
        """A transaction cannot span two processes."""
        raise BadHandler(
            "ctx.transaction() is not available in process mode.",
            'remove mode="process", or let a second task without process mode write to the database',
        )

    async def save_checkpoint(self, job: ClaimedJob, name: str, data: JsonText) -> bool:
        return bool(await self._ask("save_checkpoint", name=name, data=data))

    async def load_checkpoints(self, job: ClaimedJob) -> dict[str, Any]:
        return dict(await self._ask("load_checkpoints"))

    async def save_call(
        self, job: ClaimedJob, call: NewCall, checkpoint: str | None, data: JsonText | None
    ) -> bool:
        return bool(await self._ask("save_call", call=asdict(call), checkpoint=checkpoint, data=data))

    async def take_cached_value(self, job: ClaimedJob, scope: str, key: str, wait: timedelta) -> TakenValue:
        result, value, writer = await self._ask(
            "take_cached_value", scope=scope, key=key, wait=wait.total_seconds()
        )
        return TakenValue(Taking(result), value, None if writer is None else UUID(writer))

    async def save_cached_value(
        self, job: ClaimedJob, scope: str, key: str, writer: UUID, value: JsonText, lasts: timedelta
    ) -> bool:
        given = {"scope": scope, "key": key, "writer": str(writer), "value": value}
        return bool(await self._ask("save_cached_value", **given, lasts=lasts.total_seconds()))

    async def free_cached_value(self, job: ClaimedJob, scope: str, key: str, writer: UUID) -> bool:
        return bool(await self._ask("free_cached_value", scope=scope, key=key, writer=str(writer)))

    async def add_labels(self, job: ClaimedJob, labels: Mapping[str, Any]) -> bool:
        return bool(await self._ask("add_labels", labels=dict(labels)))

    async def report_progress(self, attempt: Attempt, report: ProgressReport) -> bool:
        return bool(await self._ask("report_progress", **asdict(report)))

    async def enqueue_child(
        self, job: ClaimedJob, task: str, payload: JsonText, options: Mapping[str, Any], *, is_bound: bool
    ) -> JobId:
        plain = decode(encode(options))
        child = await self._ask("enqueue_child", task=task, payload=payload, options=plain, is_bound=is_bound)
        return JobId(UUID(child))

    async def open_stages(self, job: ClaimedJob) -> list[str]:
        return list(await self._ask("open_stages"))

    async def load_context(self, job: ClaimedJob) -> dict[str, Any]:
        return dict(await self._ask("load_context"))

    async def load_history(self, job: ClaimedJob) -> list[Visit]:
        visits = await self._ask("load_history")
        return [Visit(**{**visit, "at": datetime.fromisoformat(visit["at"])}) for visit in visits]

    async def await_signal(self, job: ClaimedJob, name: str) -> Told:
        return Told(*await self._ask("await_signal", name=name))

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
        given = {"name": name, "task": task, "payloads": payloads, "options": decode(encode(options))}
        run, is_over = await self._ask(
            "spawn_children", **given, wait=wait.value, on_failure=on_failure.value
        )
        return RunId(UUID(run)), is_over

    async def load_children(self, run: RunId) -> list[Child]:
        children = await self._ask("load_children", run=str(run))
        return [Child(JobId(UUID(job)), State(state), *rest) for job, state, *rest in children]

    async def _ask(self, verb: str, **given: Any) -> Any:
        return await asyncio.wrap_future(self._worker.ask(verb, **given))
