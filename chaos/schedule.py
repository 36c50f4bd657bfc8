"""Which faults a run injects, and when: the same seed gives the same schedule."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from holdfast import InvalidOption

OVERLAPPING = 0.25  # of all faults, where two go together


@dataclass(frozen=True, slots=True)
class Step:
    """`at` seconds after the start; `seed` decides its other random choices.

    `may_overlap`: it need not wait until the fault before has ended.
    """

    at: float
    fault: str
    seed: int
    may_overlap: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    seed: int
    length: timedelta
    faults: Sequence[str]
    workers: int
    steps: Sequence[Step]


def make_schedule(seed: int, length: timedelta, weights: Mapping[str, int], workers: int) -> Schedule:
    """Every fault once, in random order, then by weight until the time is over."""
    rng = random.Random(seed)
    names = list(weights)
    waiting = rng.sample(names, len(names))
    steps: list[Step] = []
    at = 1.0
    while waiting or at < length.total_seconds():
        name = waiting.pop() if waiting else rng.choices(names, list(weights.values()))[0]
        steps.append(Step(round(at, 3), name, rng.randrange(2**31), rng.random() < OVERLAPPING))
        at += 0.3 + rng.random() * 2
    return Schedule(seed, length, names, workers, steps)


def save_schedule(schedule: Schedule, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**asdict(schedule), "length": schedule.length.total_seconds()}, indent=1))


def load_schedule(path: Path) -> Schedule:
    try:
        saved = json.loads(path.read_text())
        steps = [Step(**step) for step in saved["steps"]]
        return Schedule(
            saved["seed"], timedelta(seconds=saved["length"]), saved["faults"], saved["workers"], steps
        )
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise InvalidOption(
            f"{path} is not a chaos schedule: {exc}.", "name the file that a failed run has saved"
        ) from None
