"""The assistants that queries are put to: one simulated model server, with its own record of every call."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from types import TracebackType
from typing import Self

import httpx2

from examples.analysis_runs.app import ASSISTANTS
from holdfast.testing import ModelServer, Refusal
from holdfast.testing.model_server import Call, ChatRequest, Outcome

MOST_WORDS = 30


class Assistants:
    """They refuse a long query with 400; now and then one is busy (429) or fails (5xx)."""

    def __init__(self, thinks: timedelta) -> None:
        self.replies: dict[str, set[str]] = {}  # by idempotency key
        self._numbers = count(1)
        self._server = ModelServer.in_thread(
            answer=self._answer, base=thinks, slots=32, noise=0.03, busy=0.02, models=ASSISTANTS, seed=17
        )

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        return self._server.url

    def answered(self) -> Counter[str]:
        """How many answers were sent under each idempotency key."""
        return Counter(call.key for call in self._answers() if call.key is not None)

    def answer_again(self, key: str) -> None:
        """For a planted fault: the same call once more, unknown to the queue."""
        self._server.change(noise=0, busy=0)
        body = {"model": ASSISTANTS[0], "messages": [{"role": "user", "content": "Once more, please."}]}
        url, headers = f"{self.url}/v1/chat/completions", {"Idempotency-Key": key}
        httpx2.post(url, json=body, headers=headers, trust_env=False).raise_for_status()

    def _answers(self) -> Iterator[Call]:
        return (call for call in self._server.ledger if call.outcome is Outcome.ANSWERED)

    def _answer(self, request: ChatRequest) -> str | Refusal:
        """Numbered, so that each reply is known by its text."""
        if len(request.question.split()) > MOST_WORDS:
            return Refusal(400, f"a query has at most {MOST_WORDS} words")
        reply = f"{request.model}, answer {next(self._numbers)}: {request.question}"
        self.replies.setdefault(request.key or "", set()).add(reply)
        return reply


def job_of(key: str) -> str:
    """An idempotency key is installation, job, generation, visit and step."""
    return key.split(":")[1]
