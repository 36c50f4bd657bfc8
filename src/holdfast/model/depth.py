"""How many jobs of a queue are live, as it was counted once a minute."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class DepthSample:
    """All live jobs of one queue. Counted at one moment if `began_at` is `sampled_at`; a queue too large for
    that was counted between the two. `oldest_age` is that of the oldest ready job then.
    """

    queue: str
    minute: datetime
    waiting: int
    scheduled: int
    ready: int
    running: int
    oldest_ready: datetime | None
    oldest_age: timedelta | None
    began_at: datetime
    sampled_at: datetime
