"""Rules: which priority and queue new jobs of a task or queue get, by what is in them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class RuleOwner(StrEnum):
    """What a set of rules belongs to."""

    TASK = "task"
    QUEUE = "queue"


@dataclass(frozen=True, slots=True)
class Rule:
    """A stored rule. `base` and `overrides` are those of its set, which it shares with the other rules."""

    kind: RuleOwner
    owner: str
    name: str
    position: int
    condition: str
    points: int | None
    queue: str | None
    enabled: bool
    base: int | None
    overrides: bool


@dataclass(frozen=True, slots=True)
class TestedRule:
    """What a rule says of a job. `looked_at`: the facts that its condition names, with their values."""

    name: str
    position: int
    condition: str
    points: int | None
    queue: str | None
    enabled: bool
    matched: bool
    looked_at: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RuleTest:
    """The queue and priority that a job would get. `of` is the task or queue whose rules judge it."""

    queue: str
    priority: int
    of: str | None
    rules: tuple[TestedRule, ...]
