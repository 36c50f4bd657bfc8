"""A job's context in a child: the worker does what it asks for."""

import asyncio
from collections.abc import Coroutine, Mapping
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, NoReturn, TypeVar
from uuid import UUID

from holdfast.model.error import BadHandler
from holdfast.model.id import JobId, RunId
from holdfast.model.journey import Child, Told, Visit
from holdfast.model.payload import JsonText, decode, encode
from holdfast.model.route import OnFailure, WaitFor
from holdfast.model.state import State
from holdfast.pipeline.models import Models
from holdfast.worker.blocking import BlockingContext
from holdfast.worker.context import JobContext
from holdfast.worker.processes.inside.line import Asked, Line
from holdfast.worker.resources import existing
from holdfast.worker.running import Running

T = TypeVar("T")


class ProcessContext(JobContext):
    """All of JobContext but the transaction, which cannot span two processes."""

    __slots__ = ("_ends_at", "_held", "_key", "_line")

    def __init__(
        self, running: Running, line: Line, held: Any, key: str, asked: Asked, left: float | None
    ) -> None:
        self._running = running
        self._checkpoints = None
        self._set_out()
        self._line = line
        self._held = held  # the resources of this process
        self._key = key
        self._ends_at = None if left is None else monotonic() + left
        self.cancelled = running.cancelled = asked.to_cancel
        self.should_yield = running.should_yield = asked.to_yield

    @property
    def resources(self) -> Any:
        return existing(self._held)

    @property
    def blocking(self) -> BlockingContext:
        return ProcessBlockingContext(self)

    def time_left(self) -> timedelta | None:
        return None if self._ends_at is None else timedelta(seconds=max(0.0, self._ends_at - monotonic()))

    def idempotency_key(self, step: str = "") -> str:
        return self._key + step

    def units(self, used: float) -> None:
        """Told at once: they count even if the process is killed."""
        super().units(used)
        self._line.send({"units": used})

    @property
    def endpoint_ok(self) -> bool | None:
        return super().endpoint_ok

    @endpoint_ok.setter
    def endpoint_ok(self, said: bool | None) -> None:
        """Told at once, as units are."""
        self._running.endpoint_ok = said
        self._line.send({"endpoint_ok": said})

    async def _save(self, name: str, data: Any) -> None:
        value = decode(encode(data))
        await asyncio.wrap_future(self._line.ask("checkpoint", name=name, data=value))
        if self._checkpoints is not None:
            self._checkpoints[name] = value

    async def checkpoints(self) -> dict[str, Any]:
        if self._checkpoints is None:
            self._checkpoints = dict(await asyncio.wrap_future(self._line.ask("checkpoints")))
        return self._checkpoints

    async def progress(
        self, done: int, total: int | None = None, failed: int | None = None, note: str | None = None
    ) -> None:
        asked = self._line.ask("progress", done=done, total=total, failed=failed, note=note)
        await asyncio.wrap_future(asked)

    async def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        name = task if isinstance(task, str) else task.name
        value = decode(encode({} if payload is None else payload))
        asked = self._line.ask("enqueue", task=name, payload=value, options=decode(encode(options)))
        return JobId(UUID(await asyncio.wrap_future(asked)))

    @property
    def _models(self) -> Models:
        """None here: the worker knows them, and checks the output when it comes."""
        return {}

    async def _load_context(self) -> dict[str, Any]:
        return dict(await asyncio.wrap_future(self._line.ask("context")))

    async def _load_history(self) -> list[Visit]:
        told = await asyncio.wrap_future(self._line.ask("history"))
        return [Visit(**{**one, "at": datetime.fromisoformat(one["at"])}) for one in told]

    async def _await_signal(self, name: str) -> Told:
        return Told(*await asyncio.wrap_future(self._line.ask("await_signal", name=name)))

    async def _spawn(
        self,
        name: str,
        task: str,
        payloads: list[JsonText],
        options: Mapping[str, Any],
        wait: WaitFor,
        on_failure: OnFailure,
    ) -> tuple[RunId, bool]:
        given = {"name": name, "task": task, "payloads": payloads, "options": decode(encode(options))}
        asked = self._line.ask("spawn", **given, wait=wait.value, on_failure=on_failure.value)
        run, is_over = await asyncio.wrap_future(asked)
        return RunId(UUID(run)), is_over

    async def _load_children(self, run: RunId) -> list[Child]:
        told = await asyncio.wrap_future(self._line.ask("children", run=str(run)))
        return [Child(JobId(UUID(job)), State(state), *rest) for job, state, *rest in told]

    def transaction(self, output: Any = None) -> NoReturn:
        raise BadHandler(
            "A handler in process mode has no transaction with its completion.",
            'leave out mode="process", or let a second task write what this one returns',
        )


class ProcessBlockingContext(BlockingContext):
    """For a plain function, which has the process to itself."""

    __slots__ = ()

    def __init__(self, context: ProcessContext) -> None:
        self._context = context

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)
