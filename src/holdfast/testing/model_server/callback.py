"""Asks the user's `answer` callback, and keeps what did not reach the client.

A call that failed and is made again gets the answer that it would have got: a script of answers stays in step
with the caller, however often the server failed in between.
"""

import hashlib
import json
import logging

from holdfast.testing.model_server.answer import Answer, AnswerCallback, ChatRequest, Refusal, ToolCall

MOST_KEPT = 10_000

log = logging.getLogger("holdfast.testing.model_server")


class CallbackRaised(Exception):
    """The answer callback raised; the exception is raised again when the server is left."""


class Callback:
    def __init__(self, answer: AnswerCallback) -> None:
        self._answer = answer
        self._kept: dict[bytes, list[Answer]] = {}
        self.raised: list[Exception] = []

    def ask(self, request: ChatRequest) -> Answer | Refusal:
        kept = self._kept.pop(_digest(request), [])
        if kept:
            return self._take(request, kept)
        try:
            reaction = self._answer(request)
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

    def _take(self, request: ChatRequest, kept: list[Answer]) -> Answer:
        if kept[1:]:
            self._kept[_digest(request)] = kept[1:]
        return kept[0]


def _digest(request: ChatRequest) -> bytes:
    text = json.dumps([request.path, request.key, request.document], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
