"""The posts, and what a model makes of each: the way through the stages, turn by turn."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from holdfast.model.state import State


class StageName(StrEnum):
    TRIAGE = "triage"
    RESEARCH = "research"
    RESPONSE = "response"
    EDITORIAL = "editorial"


LIMITS = {
    StageName.TRIAGE: 4,
    StageName.RESEARCH: 2,
    StageName.RESPONSE: 2,
    StageName.EDITORIAL: 3,
}


class Kind(StrEnum):
    """What a post is, as its title says."""

    QUESTION = "question"  # through all stages in order
    FAMILIAR = "familiar question"  # nothing to look up: research is skipped
    DELICATE = "delicate question"  # the editor sends it back once
    RUMOUR = "rumour"  # the editor rejects it
    ADVERTISEMENT = "advertisement"  # rejected at once


# Of every twenty posts; the others are plain questions.
KINDS = {
    1: Kind.FAMILIAR,
    3: Kind.ADVERTISEMENT,
    4: Kind.DELICATE,
    6: Kind.FAMILIAR,
    7: Kind.RUMOUR,
    11: Kind.FAMILIAR,
    13: Kind.ADVERTISEMENT,
    14: Kind.DELICATE,
    16: Kind.FAMILIAR,
}


@dataclass(frozen=True, slots=True)
class Act:
    """A tool that the model calls, and the stage that it names if it advances."""

    tool: str
    stage: StageName | None = None


Turn = tuple[Act, ...]
"""What one answer of the model asks for; with nothing it has said its last words."""

LOOK_UP = Act("look_up")
WRITE = Act("write_to_database")
REJECT = Act("reject")
TALK: tuple[Turn, ...] = ((WRITE,), ())


def post_of(number: int) -> dict[str, Any]:
    """The payload."""
    kind = KINDS.get(number % 20, Kind.QUESTION)
    return {"number": number, "title": f"{kind} {number}", "body": f"What is to be said of subject {number}?"}


def kind_of(post: dict[str, Any]) -> Kind:
    return Kind(post["title"].rpartition(" ")[0])


def way_of(kind: Kind) -> tuple[StageName, ...]:
    """The stages that it is to visit."""
    triage, research, response, editorial = StageName
    match kind:
        case Kind.ADVERTISEMENT:
            return (triage,)
        case Kind.FAMILIAR:
            return triage, response, editorial
        case Kind.DELICATE:
            return triage, research, response, editorial, response, editorial
        case Kind.QUESTION | Kind.RUMOUR:
            return triage, research, response, editorial


def end_of(kind: Kind) -> State:
    return State.REJECTED if kind in (Kind.ADVERTISEMENT, Kind.RUMOUR) else State.COMPLETED


def turns_of(kind: Kind, stage: StageName, is_again: bool) -> tuple[Turn, ...]:
    """The model's answers at a stage; `is_again` if it has left something there before."""
    match stage, kind:
        case (StageName.TRIAGE, Kind.ADVERTISEMENT) | (StageName.EDITORIAL, Kind.RUMOUR):
            return ((REJECT,),)
        case StageName.TRIAGE, Kind.FAMILIAR:
            return ((WRITE,), (Act("advance", StageName.RESPONSE),))
        case StageName.RESEARCH, _:
            return ((LOOK_UP,), (WRITE, Act("advance", StageName.RESPONSE)))
        case StageName.EDITORIAL, Kind.DELICATE if not is_again:
            return ((WRITE, Act("advance", StageName.RESPONSE)),)
        case _:
            return TALK
