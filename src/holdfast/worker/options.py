"""The settings of a worker."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from holdfast.model.error import InvalidOption
from holdfast.model.flag import ClaimSize, WorkerFlags, WorkerSizes, sizes_of
from holdfast.worker.metrics.metrics_address import MetricsAddress
from holdfast.worker.suspects.suspect_workers import Isolation
from holdfast.worker.time_box.succession import Continuing
from holdfast.worker.time_box.time_box import TimeBox

LEASE = timedelta(seconds=30)
GRACE = timedelta(seconds=25)
SWEEP = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """`stagger`: start after a random part of it, so that many workers do not connect at once."""

    queues: tuple[str, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    slots: int | None = None  # None: as the flag says
    group: str | None = None
    lease: timedelta = LEASE
    grace: timedelta = GRACE
    sweep: timedelta = SWEEP
    stagger: timedelta = timedelta(0)
    drain: bool = False
    once: bool = False
    metadata: Mapping[str, Any] | None = None
    app_path: str | None = None  # `package.module:app`, where a child process finds the app
    box: TimeBox | None = None
    claim_size: ClaimSize | None = None  # at most this many jobs in one claim; None: as the flag says
    continuing: Continuing = field(default_factory=Continuing)
    suspects_with: tuple[str, ...] | None = None  # the command that starts a worker for suspects
    only_suspects: bool = False
    on_registered: Callable[[], None] | None = None
    metrics: MetricsAddress | None = None
    internal: bool = False  # it runs Holdfast's own jobs, in a process that does the maintenance for all

    @property
    def isolation(self) -> Isolation:
        """A worker that exits soon starts no process that could outlive it."""
        if self.only_suspects:
            return Isolation.ONLY
        is_short = self.once or self.box is not None
        return Isolation.SELF if self.suspects_with is None or is_short else Isolation.CHILDREN

    def sizes(self, flags: WorkerFlags) -> WorkerSizes:
        """What holds for this worker: its own options win over the flags."""
        return sizes_of(self.slots, self.claim_size, flags)

    def __post_init__(self) -> None:
        if not self.queues:
            raise InvalidOption(
                "A worker needs at least one queue.", 'name the queues, such as queues=["default"]'
            )
        if self.slots is not None and self.slots < 1:
            raise InvalidOption(f"slots must be at least 1 (got {self.slots}).", "write slots=1 or more")
        if isinstance(self.claim_size, int) and self.claim_size < 1:
            raise InvalidOption(
                f"claim_size must be at least 1 (got {self.claim_size}).",
                "write 1 or more or 'auto', or leave out claim_size",
            )
        if self.continuing.callback is not None and self.box is None:
            raise InvalidOption(
                "Without a time box, the callback that starts the next worker has no effect.",
                "add a time box, or remove the callback",
            )
        if not timedelta(seconds=1) <= self.lease <= timedelta(days=1):
            raise InvalidOption(
                f"lease must be between 1 second and 1 day (got {self.lease}).",
                "the default is 30 seconds",
            )


def lease_for(box: TimeBox | None) -> timedelta:
    """A worker that lives for seconds must be noticed as lost within seconds."""
    return LEASE if box is None else min(LEASE, max(timedelta(seconds=1), box.length))


def queues_and_weights(
    queues: Sequence[str] | Mapping[str, float],
) -> tuple[tuple[str, ...], dict[str, float]]:
    """["a", "b"], or {"a": 3, "b": 1} where each queue has its weight."""
    if isinstance(queues, str):
        raise InvalidOption(
            f"queues must be a list (got the string {queues!r}).", f"write queues=[{queues!r}]"
        )
    weights = dict(queues) if isinstance(queues, Mapping) else {}
    return tuple(queues), weights
