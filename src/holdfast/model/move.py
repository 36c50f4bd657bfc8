"""Moves of jobs to another queue, and the pairs of queues that rebalancing moves jobs between."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Moved:
    """How many jobs were moved to another queue, by state."""

    ready: int = 0
    scheduled: int = 0

    @property
    def total(self) -> int:
        return self.ready + self.scheduled


@dataclass(frozen=True, slots=True)
class RebalancePair:
    """Ready jobs may move from one queue to the other. They do if the first has at least `least_depth` of
    them, and (ready + 1) / (ready + 1) exceeds `ratio`; at most `max_jobs` in a round, and only those that
    satisfy `condition`, a JSON path predicate over the payload.
    """

    from_queue: str
    to_queue: str
    ratio: float
    least_depth: int
    max_jobs: int
    condition: str | None
    moved_at: datetime | None


class RebalanceResult(StrEnum):
    """What a round did about a pair. `not_sampled`: the depths were not counted since the last move."""

    MOVED = "moved"
    WOULD_MOVE = "would_move"
    NONE_ELIGIBLE = "none_eligible"
    BALANCED = "balanced"
    SHALLOW = "shallow"
    PAUSED = "paused"
    NOT_SAMPLED = "not_sampled"


@dataclass(frozen=True, slots=True)
class RebalancedPair:
    """A pair in a round of rebalancing, with the sampled depths and the number of jobs that it moved."""

    from_queue: str
    to_queue: str
    from_ready: int
    to_ready: int
    ratio: float
    jobs: int
    result: RebalanceResult
