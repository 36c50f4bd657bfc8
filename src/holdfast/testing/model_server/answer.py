"""What is asked and what is answered, whichever API it came by."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Answers that did not reach their caller and are kept for its next try.
MOST_KEPT = 10_000

log = logging.getLogger("holdfast.testing.model_server")


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    text: str
    document: Mapping[str, Any]  # as it was sent


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A call as the `answer` callback sees it."""

    path: str
    model: str
    messages: tuple[Message, ...]
    stream: bool
    max_tokens: int | None
    tools: tuple[str, ...]  # names of the functions that are offered
    key: str | None  # the header Idempotency-Key
    headers: Mapping[str, str]  # names in lower case
    document: Mapping[str, Any]  # the body as it was sent

    @property
    def question(self) -> str:
        """The last message's text."""
        return self.messages[-1].text if self.messages else ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Arguments as text are sent as they are, so that a model's broken JSON can be simulated."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Tokens that are not given are estimated as a quarter of the characters."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error of the caller, such as 400 for too long a prompt."""

    status: int
    message: str


Reaction = Answer | Refusal | ToolCall | str
AnswerCallback = Callable[[ChatRequest], Reaction]


def echo(request: ChatRequest) -> Answer:
    """The default: the same answer to the same question."""
    return Answer(f"echo: {request.question}")


def in_turn(*reactions: Reaction) -> AnswerCallback:
    """A callback that gives one after the other, and fails the test when it is asked once more."""
    left = list(reactions)

    def answer(request: ChatRequest) -> Reaction:
        if not left:
            raise AssertionError(
                f"The model was asked {len(reactions) + 1} times, but {len(reactions)} answers were given to "
                f"in_turn(); the last question was {request.question!r}."
            )
        return left.pop(0)

    return answer


class CallbackRaised(Exception):
    """The answer callback raised; the exception is raised again when the server is left."""


class Answers:
    """Asks the user's `answer` callback, and keeps what did not reach the client.

    A call that failed and is made again gets the answer that it would have got: a script of answers stays in
    step with the caller, however often the server failed in between.
    """

    def __init__(self, callback: AnswerCallback) -> None:
        self._callback = callback
        self._kept: dict[bytes, list[Answer]] = {}
        self.raised: list[Exception] = []

    def ask(self, request: ChatRequest) -> Answer | Refusal:
        if kept := self._kept.pop(_digest(request), []):
            first, *rest = kept
            if rest:
                self._kept[_digest(request)] = rest
            return first
        try:
            reaction = self._callback(request)
        except Exception as exc:
            log.exception("the answer callback raised")
            self.raised.append(exc)
            raise CallbackRaised(f"The answer callback raised {type(exc).__name__}: {exc}") from exc
        if isinstance(reaction, ToolCall):
            return Answer(tool_calls=(reaction,))
        return Answer(reaction) if isinstance(reaction, str) else reaction

    def keep(self, request: ChatRequest, answer: Answer) -> None:
        self._kept.setdefault(_digest(request), []).append(answer)
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]


def _digest(request: ChatRequest) -> bytes:
    text = json.dumps([request.path, request.key, request.document], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
