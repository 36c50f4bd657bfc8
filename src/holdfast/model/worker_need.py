"""How many workers a queue needs."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class WorkerNeed:
    """`workers` with `slots` each start every job within the target: as many as the current and the forecast
    rate keep busy, a quarter more, and enough to clear the backlog.
    """

    queue: str
    workers: int
    slots: int
    rate_per_minute: float
    forecast_per_minute: float
    seconds_per_job: float | None
    ready: int
    running: int


TARGET = timedelta(seconds=30)
AHEAD = timedelta(minutes=10)
