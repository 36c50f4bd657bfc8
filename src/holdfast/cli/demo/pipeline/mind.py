"""What the simulated model thinks: it decides by the post, and remembers what it was shown."""

import json
import random
from dataclasses import dataclass
from typing import Any

from holdfast.cli.demo.pipeline.posts import Act, StageName, kind_of, turns_of
from holdfast.testing.model_server.answer import Answer, ChatRequest, ToolCall

JOB = "The job:\n"
CONTEXT = "What earlier stages left:\n"

Context = tuple[tuple[str, str | None], ...]
"""Stages and the marks of what they left, in the order of the prompt."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a call showed the model."""

    stage: StageName
    number: int
    context: Context


class Mind:
    """`sights`: what it saw, by idempotency key. `marks`: under which key it gave each of them out."""

    def __init__(self) -> None:
        self.sights: dict[str, Sight] = {}
        self.marks: dict[str, str] = {}
        self._chance = random.Random()

    def answer(self, request: ChatRequest) -> Answer:
        stage = _stage_of(request)
        post, context = _read(request.messages[1].text)
        key = request.key or ""
        self.sights[key] = Sight(
            stage, post["number"], tuple((name, left["mark"]) for name, left in context.items())
        )
        turns = turns_of(kind_of(post), stage, stage in context)
        turn = turns[sum(message.role == "assistant" for message in request.messages)]
        return Answer("" if turn else "Done.", tuple(self._call(act, post, key) for act in turn))

    def _call(self, act: Act, post: dict[str, Any], key: str) -> ToolCall:
        match act.tool:
            case "write_to_database":
                return ToolCall(act.tool, {"mark": self._mark(key), "text": f"a note on {post['title']}"})
            case "advance":
                return ToolCall(act.tool, {"stage": act.stage})
            case "reject":
                return ToolCall(act.tool, {"reason": f"{post['title']} is not for us"})
            case _:
                return ToolCall(act.tool, {"subject": post["title"]})

    def _mark(self, key: str) -> str:
        mark = f"{self._chance.getrandbits(64):016x}"
        self.marks[mark] = key
        return mark


def _stage_of(request: ChatRequest) -> StageName:
    return StageName(request.model.removeprefix("simulated-"))


def _read(prompt: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The post, and what earlier stages left, from the text that an agent sends."""
    job, _, context = prompt.removeprefix(JOB).partition(CONTEXT)
    return json.loads(job), json.loads(context) if context else {}
