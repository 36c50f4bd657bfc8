"""The same calls in three ways: SQL, Python's database layer, and HTTP; each is a file beside this one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from holdfast.model.outcome import Outcome

WHY = "because of a test"


@dataclass(frozen=True, slots=True)
class Held:
    id: UUID
    token: UUID
    payload: Any


@dataclass(frozen=True, slots=True)
class Ending:
    """An end as Python says it and as HTTP says it."""

    outcome: Outcome
    route: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Family:
    """Children: their state and output, in the order of their ids."""

    is_over: bool
    children: list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """To a job that asks for what it waits for; neither: it was parked."""

    came: bool
    data: Any
    timed_out: bool


PARKED = Answer(False, None, False)


class Way(ABC):
    """A producer, a worker and an operator of one queue. Each method returns what the caller learns, in the
    same words for all.
    """

    queue: str

    @abstractmethod
    async def enqueue(self, payload: Any, unique_key: str | None = None) -> tuple[UUID, bool] | None:
        """The job, and whether it was created; None: the key stands for another payload."""

    @abstractmethod
    async def register(self, lease: float = 60) -> None: ...

    @abstractmethod
    async def claim(self, n: int = 1) -> list[Held] | None:
        """None: the worker has no lease."""

    @abstractmethod
    async def end(self, job: Held, ending: Ending) -> bool:
        """False: the token is outdated."""

    @abstractmethod
    async def save(self, job: Held, name: str, value: Any) -> bool: ...

    @abstractmethod
    async def report(self, job: Held, done: int) -> bool: ...

    @abstractmethod
    async def renew(self) -> bool:
        """False: the worker has stopped."""

    @abstractmethod
    async def stop(self) -> int:
        """How many jobs it gave back."""

    @abstractmethod
    async def spawn(self, job: Held, name: str, payloads: Sequence[Any]) -> Family | None:
        """None: the token is outdated."""

    @abstractmethod
    async def park(self, job: Held, kind: str, name: str) -> Answer | None:
        """Waits for a signal or for children; None: the token is outdated."""

    @abstractmethod
    async def signal(self, job: UUID, name: str, data: Any) -> str: ...

    @abstractmethod
    async def operate(self, verb: str, job: UUID) -> str:
        """What became of the job: cancel or replay."""
