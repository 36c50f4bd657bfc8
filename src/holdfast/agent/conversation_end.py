"""How a conversation ends."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GoTo:
    """The tool `advance`: go to that stage."""

    stage: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """The tool `reject`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Again:
    """The tool `retry`; without a delay the retry policy decides."""

    reason: str
    delay: float | None


@dataclass(frozen=True, slots=True)
class Done:
    """The model stopped after it had written an output: the next stage in order."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """The model stopped without a decision, or was cut off."""

    text: str
    finish_reason: str


Decision = GoTo | Refuse | Again
End = Decision | Done | Undecided

_BY_KIND: dict[str, type[Decision]] = {"advance": GoTo, "reject": Refuse, "retry": Again}


def write(decision: Decision) -> dict[str, Any]:
    """For a checkpoint."""
    match decision:
        case GoTo(stage):
            return {"kind": "advance", "stage": stage}
        case Refuse(reason):
            return {"kind": "reject", "reason": reason}
        case Again(reason, delay):
            return {"kind": "retry", "reason": reason, "delay": delay}


def read(saved: dict[str, Any]) -> Decision:
    fields = {name: value for name, value in saved.items() if name != "kind"}
    return _BY_KIND[saved["kind"]](**fields)
