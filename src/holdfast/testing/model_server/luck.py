"""What chance holds for a call. Seed and number of the call decide it alone, so a run can be repeated."""

import math
from dataclasses import dataclass
from random import Random

STATUSES = (500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Luck:
    """Throws from 0 to 1, to be compared with the shares of a behaviour."""

    outage: float
    cliff: float
    busy: float
    noise: float
    failing_part: float  # of the work, after which noise strikes
    failing_status: int
    error_inside: float
    cut: float
    bell: float  # normally distributed

    def stretch(self, spread: float) -> float:
        """Of the work; log-normal with mean 1, so that noise makes no server slower."""
        return math.exp(self.bell * spread - spread * spread / 2)


def draw(seed: int, number: int) -> Luck:
    chance = Random(f"{seed}/{number}")
    return Luck(
        outage=chance.random(),
        cliff=chance.random(),
        busy=chance.random(),
        noise=chance.random(),
        failing_part=chance.random(),
        failing_status=chance.choice(STATUSES),
        error_inside=chance.random(),
        cut=chance.random(),
        bell=chance.gauss(0, 1),
    )
