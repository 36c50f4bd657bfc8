"""An answer with everything that an API says about it: counts of tokens, why it ended, its id."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.testing.model_server.answer import Answer, ChatRequest, ToolCall

MOST_PIECES = 1000


class Finish(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"


@dataclass(frozen=True, slots=True)
class Reply:
    id: int
    model: str
    at: datetime
    text: str
    tool_calls: tuple[ToolCall, ...]
    tokens_in: int
    tokens_out: int
    finish: Finish
    wants_usage: bool  # in a stream, only if it was asked for

    @property
    def words(self) -> list[str]:
        """What a stream sends one by one; together they are the text."""
        words = re.findall(r"\s*\S+|\s+$", self.text)
        size = -(-len(words) // MOST_PIECES) or 1
        return ["".join(words[begin : begin + size]) for begin in range(0, len(words), size)]


def compose(id_: int, at: datetime, request: ChatRequest, answer: Answer) -> Reply:
    said = answer.text + "".join(f"{call.name}{call.arguments}" for call in answer.tool_calls)
    tokens_out = estimate(said) if answer.tokens_out is None else answer.tokens_out
    text, finish = answer.text, Finish.TOOL_CALLS if answer.tool_calls else Finish.STOP
    if request.max_tokens is not None and tokens_out > request.max_tokens:
        text = text[: len(text) * request.max_tokens // tokens_out]
        tokens_out, finish = request.max_tokens, Finish.LENGTH
    asked = sum(len(message.text) for message in request.messages)
    return Reply(
        id=id_,
        model=request.model,
        at=at,
        text=text,
        tool_calls=answer.tool_calls if finish is not Finish.LENGTH else (),
        tokens_in=-(-asked // 4) if answer.tokens_in is None else answer.tokens_in,
        tokens_out=tokens_out,
        finish=finish,
        wants_usage=_wants_usage(request),
    )


def estimate(text: str) -> int:
    return max(1, -(-len(text) // 4))


def _wants_usage(request: ChatRequest) -> bool:
    options = request.document.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True
