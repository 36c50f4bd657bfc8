"""How a worker works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from holdfast.model.error import InvalidOption

LEASE = timedelta(seconds=30)
GRACE = timedelta(seconds=25)
SWEEP = timedelta(seconds=5)
SLOTS = 50


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """`stagger`: wait for a random part of it before the start, so that many workers do not come at once."""

    queues: tuple[str, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    slots: int = SLOTS
    group: str | None = None
    lease: timedelta = LEASE
    grace: timedelta = GRACE
    sweep: timedelta = SWEEP
    stagger: timedelta = timedelta(0)
    drain: bool = False
    once: bool = False
    metadata: Mapping[str, Any] | None = None
    app_path: str | None = None  # `package.module:app`, where a process finds the app

    def __post_init__(self) -> None:
        if not self.queues:
            raise InvalidOption("A worker needs at least one queue.", 'name them: queues=["default"]')
        if self.slots < 1:
            raise InvalidOption(
                f"A worker needs at least one slot, not {self.slots}.", "give slots=1 or more"
            )
        if not timedelta(seconds=1) <= self.lease <= timedelta(days=1):
            raise InvalidOption(
                f"A lease of {self.lease} is out of range.", "give between 1 second and 1 day"
            )


def queues_and_weights(
    queues: Sequence[str] | Mapping[str, float],
) -> tuple[tuple[str, ...], dict[str, float]]:
    """["a", "b"], or {"a": 3, "b": 1} where each queue has its weight."""
    if isinstance(queues, str):
        raise InvalidOption("The queues of a worker are a list.", f"write queues=[{queues!r}]")
    weights = dict(queues) if isinstance(queues, Mapping) else {}
    return tuple(queues), weights
