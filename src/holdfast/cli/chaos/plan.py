"""What a run of chaos will do, known before it begins: the same seed gives the same schedule."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.model.error import InvalidOption

BESIDE = 0.25  # of all faults, where the two go together


@dataclass(frozen=True, slots=True)
class Step:
    """`at` seconds after the start; `seed` decides what else there is to choose.

    `is_beside`: it need not wait until the one before is over.
    """

    at: float
    fault: str
    seed: int
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    seed: int
    length: timedelta
    faults: Sequence[str]
    workers: int
    steps: Sequence[Step]


def make_plan(seed: int, length: timedelta, weights: Mapping[str, int], workers: int) -> Plan:
    """Every fault once, in random order, then by weight until the time is over."""
    luck = random.Random(seed)
    names = list(weights)
    waiting = luck.sample(names, len(names))
    steps: list[Step] = []
    at = 1.0
    while waiting or at < length.total_seconds():
        name = waiting.pop() if waiting else luck.choices(names, list(weights.values()))[0]
        steps.append(Step(round(at, 3), name, luck.randrange(2**31), luck.random() < BESIDE))
        at += 0.3 + luck.random() * 2
    return Plan(seed, length, names, workers, steps)


def save_plan(plan: Plan, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**asdict(plan), "length": plan.length.total_seconds()}, indent=1))


def load_plan(path: Path) -> Plan:
    try:
        told = json.loads(path.read_text())
        steps = [Step(**step) for step in told["steps"]]
        return Plan(told["seed"], timedelta(seconds=told["length"]), told["faults"], told["workers"], steps)
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise InvalidOption(
            f"{path} is not a schedule of chaos: {exc}.", "name the file that a failed run has saved"
        ) from None
