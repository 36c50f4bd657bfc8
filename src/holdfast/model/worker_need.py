"""How many workers a queue needs."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class WorkerNeed:
    """`workers` with `slots` each start every job within the target: as many as the current and the forecast
    rate keep busy, a quarter more, and enough to clear the backlog. At most `most` jobs of the queue run at
    once, whatever the number of workers, because `limited_by`. More than 10,000 jobs are not counted: `ready`
    is then that of the newest sample, at `sampled_at`.
    """

    queue: str
    workers: int
    slots: int
    rate_per_minute: float
    forecast_per_minute: float
    seconds_per_job: float | None
    ready: int
    running: int
    most: int | None
    limited_by: str | None
    sampled_at: datetime | None

    @property
    def is_enough(self) -> bool:
        """Whether jobs wait for something that more workers do not give."""
        return self.most is not None and self.ready > 0 and self.workers * self.slots >= self.most


TARGET = timedelta(seconds=30)
AHEAD = timedelta(minutes=10)
