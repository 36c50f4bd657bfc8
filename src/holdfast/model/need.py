"""How many workers a queue needs."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class WorkerNeed:
    """`workers` of `slots` each start every job within the target: as many as the rate now and some time
    ahead keeps busy, a quarter more, and what works off the backlog.
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
