"""Where a handler sends its job after a stage, and how a job waits without a worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from holdfast.model.error import InvalidInput

Stages = str | Sequence[str] | None


class OnReject(StrEnum):
    """What happens to a job that a stage's handler rejects."""

    END = "end"
    RETRY = "retry"
    DEAD = "dead"


class OnFailure(StrEnum):
    """What a child that did not complete means for its parent; `wait`: until an operator replays it."""

    FAIL = "fail"
    IGNORE = "ignore"
    WAIT = "wait"


class WaitFor(StrEnum):
    """Which children a parent waits for; the others are cancelled when the first has completed."""

    ALL = "all"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class Advance:
    """Created by `ctx.advance(…)` and returned by the handler: the next stages, or none, and the output."""

    stages: tuple[str, ...]
    output: Any
    is_many: bool = False
    delay: timedelta | None = None
    on_failure: OnFailure = OnFailure.FAIL
    is_checked: bool = (
        True  # against the stage's output model; false for a value that is not an output of that stage
    )


def read_stages(stages: Stages) -> tuple[tuple[str, ...], bool]:
    """The names, and whether they were given as a list."""
    if stages is None:
        return (), False
    if isinstance(stages, str):
        return (stages,), False
    names = tuple(stages)
    if not names or any(not isinstance(name, str) for name in names) or len({*names}) < len(names):
        raise InvalidInput(
            f"The next stages must be a non-empty list of different names (got {stages!r}).",
            "name each stage once; to end the pipeline, pass None",
        )
    return names, True


class Suspend(BaseException):
    """Ends the attempt: the job waits without a worker, and its handler runs again from the start afterwards.

    Not an Exception, so that a handler's `except Exception` does not catch it.
    """

    def __init__(self, what: str, timeout: timedelta | None = None) -> None:
        super().__init__(f"waits for {what}")
        self.what = what
        self.timeout = timeout
