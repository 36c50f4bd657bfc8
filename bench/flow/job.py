"""The work: jobs whose size varies as the answers of language models do."""

import math
from dataclasses import dataclass
from random import Random


@dataclass(slots=True)
class Job:
    units: float  # tokens
    estimate: float  # what the queue knows of them before the call
    work: float  # seconds at full speed, 3 to 60
    is_refused: bool  # the endpoint will always call it a bad request
    is_poison: bool = False  # the endpoint will always fail it
    tries: int = 0
    last_try: float | None = None  # when the last one ended
    failures: int = 0


def new_job(random: Random) -> Job:
    """Log-normal sizes around 500 tokens, estimates that are often wrong by half, 1 % bad requests."""
    units = min(3000.0, max(60.0, random.lognormvariate(math.log(500.0), 0.7)))
    return Job(
        units=units,
        estimate=units * random.lognormvariate(0.0, 0.4),
        work=2.0 + units / 55.0 * random.lognormvariate(0.0, 0.12),
        is_refused=random.random() < 0.01,
    )
