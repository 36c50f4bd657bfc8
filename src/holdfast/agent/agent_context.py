"""The part of the worker's context that an agent needs."""

from collections.abc import Awaitable, Mapping
from threading import Event
from typing import Any, Protocol

from holdfast.model.recorded_call import NewCall


class AgentContext(Protocol):
    """`holdfast.JobContext` implements it."""

    @property
    def stage(self) -> str | None: ...

    @property
    def endpoint(self) -> str | None: ...

    endpoint_ok: bool | None

    @property
    def generation(self) -> int: ...

    @property
    def failures(self) -> int: ...

    @property
    def labels(self) -> Mapping[str, Any]: ...

    @property
    def should_yield(self) -> Event:
        """Set when the worker is about to exit."""

    @property
    def context(self) -> Awaitable[Mapping[str, Any]]: ...

    async def open_stages(self) -> list[str]: ...

    def idempotency_key(self, step: str = "") -> str: ...

    def units(self, used: float) -> None: ...

    def advance(self, stage: str, output: Any = None) -> Any:
        """The marker that sends a job to a stage; raises a HoldfastError if the job cannot go there."""

    async def checkpoints(self) -> dict[str, Any]: ...

    async def save_call(self, call: NewCall, checkpoint: str | None = None, data: Any = None) -> None: ...

    async def label(self, **labels: Any) -> None: ...
