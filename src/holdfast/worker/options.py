"""How a worker works."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from holdfast.model.error import InvalidOption
from holdfast.worker.succession import Continuing
from holdfast.worker.suspects import Isolation
from holdfast.worker.timebox import TimeBox

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
    box: TimeBox | None = None
    claim_size: int | None = None  # at most so many in one claim; None: as many as can be done
    continuing: Continuing = field(default_factory=Continuing)
    suspects_with: tuple[str, ...] | None = None  # what starts a worker for suspects
    only_suspects: bool = False
    on_registered: Callable[[], None] | None = None

    @property
    def isolation(self) -> Isolation:
        """One that leaves soon starts nothing that could outlive it."""
        if self.only_suspects:
            return Isolation.ONLY
        is_short = self.once or self.box is not None
        return Isolation.SELF if self.suspects_with is None or is_short else Isolation.CHILDREN

    def __post_init__(self) -> None:
        if not self.queues:
            raise InvalidOption("A worker needs at least one queue.", 'name them: queues=["default"]')
        if self.slots < 1:
            raise InvalidOption(
                f"A worker needs at least one slot, not {self.slots}.", "give slots=1 or more"
            )
        if self.claim_size is not None and self.claim_size < 1:
            raise InvalidOption(f"A claim size of {self.claim_size} is too small.", "give 1 or more, or none")
        if self.continuing.callback is not None and self.box is None:
            raise InvalidOption(
                "Only a worker with a time box has a successor.",
                "give it a time box, or leave out the callback",
            )
        if not timedelta(seconds=1) <= self.lease <= timedelta(days=1):
            raise InvalidOption(
                f"A lease of {self.lease} is out of range.", "give between 1 second and 1 day"
            )


def lease_for(box: TimeBox | None) -> timedelta:
    """A worker that lives for seconds is missed within seconds."""
    return LEASE if box is None else min(LEASE, max(timedelta(seconds=1), box.length))


def queues_and_weights(
    queues: Sequence[str] | Mapping[str, float],
) -> tuple[tuple[str, ...], dict[str, float]]:
    """["a", "b"], or {"a": 3, "b": 1} where each queue has its weight."""
    if isinstance(queues, str):
        raise InvalidOption("The queues of a worker are a list.", f"write queues=[{queues!r}]")
    weights = dict(queues) if isinstance(queues, Mapping) else {}
    return tuple(queues), weights
