"""The simulated models: what they decide depends on the post, and they remember what they were asked.

Each result that they write contains a random number: only a worker that received it can have stored it.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from holdfast.testing import Answer, Refusal, ToolCall
from holdfast.testing.model_server import ChatRequest


class Kind(StrEnum):
    """What a post is, as its title says, and with it the way that the models send it."""

    QUESTION = "question"  # all four stages in order
    FAMILIAR = "familiar question"  # triage skips research
    DELICATE = "delicate question"  # editorial returns it once for another draft
    RUMOUR = "rumour"  # editorial rejects it
    ADVERTISEMENT = "advertisement"  # triage rejects it
    HEAVY = "heavy question"  # research fails with 500 up to three times, then succeeds
    POPULAR = "popular question"  # the server of editorial is busy at first, and answers 429
    HOPELESS = "hopeless question"  # triage asks for a retry each time: a dead letter


# By the post's number modulo 20; the others are plain questions.
KINDS = {
    1: Kind.FAMILIAR,
    3: Kind.ADVERTISEMENT,
    4: Kind.DELICATE,
    5: Kind.HEAVY,
    7: Kind.RUMOUR,
    9: Kind.HOPELESS,
    10: Kind.POPULAR,
    11: Kind.FAMILIAR,
    13: Kind.ADVERTISEMENT,
    14: Kind.DELICATE,
    16: Kind.FAMILIAR,
}
ROUTES: dict[Kind, tuple[str, ...]] = {
    Kind.QUESTION: ("triage", "research", "response", "editorial"),
    Kind.FAMILIAR: ("triage", "response", "editorial"),
    Kind.DELICATE: ("triage", "research", "response", "editorial", "response", "editorial"),
    Kind.RUMOUR: ("triage", "research", "response", "editorial"),
    Kind.ADVERTISEMENT: ("triage",),
    Kind.HEAVY: ("triage", "research", "response", "editorial"),
    Kind.POPULAR: ("triage", "research", "response", "editorial"),
    Kind.HOPELESS: ("triage",),
}
ENDS = {Kind.RUMOUR: "rejected", Kind.ADVERTISEMENT: "rejected", Kind.HOPELESS: "dead"}


@dataclass(frozen=True, slots=True)
class Post:
    """What is to become of it is known beforehand, so that the verdict can compare."""

    number: int
    kind: Kind

    @classmethod
    def of(cls, number: int) -> "Post":
        return cls(number, KINDS.get(number % 20, Kind.QUESTION))

    @property
    def payload(self) -> dict[str, Any]:
        body = f"What is to be said of subject {self.number}?"
        return {"number": self.number, "title": f"{self.kind} {self.number}", "body": body}

    @property
    def route(self) -> tuple[str, ...]:
        return ROUTES[self.kind]

    @property
    def end(self) -> str:
        return ENDS.get(self.kind, "completed")

    def refusals(self, stage: str, turn: int) -> list[Refusal]:
        """What a call is answered with before it gets its reply.

        A 500 comes in the second turn: the reply of the first is saved by then, and is not asked for again.
        """
        match self.kind, stage, turn:
            case Kind.HEAVY, "research", 1:
                return [Refusal(500, "The model ran out of memory.")] * (1 + self.number // 20 % 3)
            case Kind.POPULAR, "editorial", 0:
                return [Refusal(429, "Too many requests.")]
            case _:
                return []


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call showed the model."""

    stage: str
    number: int
    context: list[tuple[str, Any]]


@dataclass(slots=True)
class Models:
    """Both servers ask it for answers. All it remembers is by idempotency key."""

    asked: dict[str, Asked] = field(default_factory=dict)
    written: dict[str, list[Any]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: set[str] = field(default_factory=set)
    first: ChatRequest | None = None
    chance: random.Random = field(default_factory=random.Random)

    def answer(self, request: ChatRequest) -> Answer | Refusal:
        key, self.first = request.key or "", self.first or request
        stage = request.messages[0].text.split()[3]
        shown = json.loads(request.messages[1].text)
        post, context = Post.of(shown["post"]["number"]), shown["context"]
        self.asked[key] = Asked(stage, post.number, [*context.items()])
        turn = sum(message.role == "assistant" for message in request.messages)
        calls = _turns(post, stage, f"{stage}_result" in context)[turn]
        refusals = post.refusals(stage, turn)
        if self.refused[key] < len(refusals):
            self.refused[key] += 1
            return refusals[self.refused[key] - 1]
        return Answer("" if calls else "Done.", tuple(self._call(call, key, stage, post) for call in calls))

    def _call(self, call: str, key: str, stage: str, post: Post) -> ToolCall:
        match call.split():
            case ["write_to_database"]:
                output = _output(stage, f"{self.chance.getrandbits(64):016x}")
                self.written.setdefault(key, []).append(output)
                return ToolCall("write_to_database", output)
            case ["advance", target]:
                return ToolCall("advance", {"stage": target})
            case ["retry"]:
                self.gave_up.add(key)
                return ToolCall("retry", {"reason": f"subject {post.number} cannot be found"})
            case ["reject"]:
                return ToolCall("reject", {"reason": f"{post.kind} {post.number} is not for us"})
            case _:
                return ToolCall(call, {"query": f"subject {post.number}"})


def _turns(post: Post, stage: str, is_second_visit: bool) -> tuple[tuple[str, ...], ...]:
    """The tools that each answer calls; an answer without any ends the conversation."""
    match stage, post.kind:
        case ("triage", Kind.ADVERTISEMENT) | ("editorial", Kind.RUMOUR):
            return (("reject",),)
        case "triage", Kind.HOPELESS:
            return (("retry",),)
        case "triage", Kind.FAMILIAR:
            return (("write_to_database", "advance response"),)
        case "research", _:
            return ("search_web",), ("write_to_database", "advance response")
        case "editorial", Kind.DELICATE if not is_second_visit:
            return (("write_to_database", "advance response"),)
        case _:
            return ("write_to_database",), ()


def _output(stage: str, mark: str) -> dict[str, Any]:
    match stage:
        case "triage":
            return {"topic": f"topic {mark}", "score": 7}
        case "research":
            return {"facts": [f"fact {mark}"]}
        case "response":
            return {"draft": f"draft {mark}"}
        case _:
            return {"text": f"text {mark}"}
