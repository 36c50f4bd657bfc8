"""A job's conversation in its checkpoints, so that no recorded call is made twice.

The next attempt continues an interrupted conversation. A finished one is only replayed from its record, for
an attempt that could not report its end; after a failure or a replay a new conversation begins, the next
round.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from holdfast.agent.chat_messages import ModelAnswer, ToolRequest
from holdfast.agent.tool_result import Result
from holdfast.model.payload import encode

PREFIX = "agent/"
# Bytes; a checkpoint may have a mebibyte.
LONGEST = 1_000_000
_NAME = re.compile(r"agent/(\d+)/(\d+)(?:/(\d+))?")

Life = tuple[int, int]
"""Generation and failures: one of them rises when an attempt has ended and the job runs again."""


class Memory:
    __slots__ = ("_answers", "_life", "_results", "round")

    def __init__(self, saved: Mapping[str, Any], life: Life, max_turns: int) -> None:
        found = {
            tuple(int(part) for part in match.groups() if part): data
            for name, data in saved.items()
            if (match := _NAME.fullmatch(name))
        }
        self._life = life
        self.round = max((place[0] for place in found), default=0)
        self._answers = {p[1]: data for p, data in found.items() if p[0] == self.round and len(p) == 2}
        self._results = {p[1:]: data for p, data in found.items() if p[0] == self.round and len(p) == 3}
        if self._has_ended(max_turns) and self._last_life() != life:
            self.round += 1
            self._answers, self._results = {}, {}

    def answer(self, turn: int) -> ModelAnswer | None:
        saved = self._answers.get(turn)
        return None if saved is None else _read_answer(saved)

    def result(self, turn: int, place: int) -> Result | None:
        saved = self._results.get((turn, place))
        return None if saved is None else Result.read(saved["result"])

    def answer_name(self, turn: int) -> str:
        return f"{PREFIX}{self.round}/{turn}"

    def result_name(self, turn: int, place: int) -> str:
        return f"{PREFIX}{self.round}/{turn}/{place}"

    def step(self, turn: int) -> str:
        """The step in the turn's idempotency key."""
        return f"turn-{turn}" if self.round == 0 else f"round-{self.round}/turn-{turn}"

    def with_answer(self, answer: ModelAnswer) -> dict[str, Any]:
        said = asdict(answer)
        del said["usage"]  # for the trace only
        return {"life": list(self._life), "answer": said}

    def with_result(self, result: Result) -> dict[str, Any]:
        return {"life": list(self._life), "result": result.document()}

    def _has_ended(self, max_turns: int) -> bool:
        if any(one["result"]["decision"] is not None for one in self._results.values()):
            return True
        last = max(self._answers, default=0)
        requests = self._answers[last]["answer"]["requests"] if last else [None]
        if not requests:
            return True
        return last >= max_turns and all((last, place) in self._results for place in range(len(requests)))

    def _last_life(self) -> Life:
        last = max(self._answers)
        places = [place for turn, place in self._results if turn == last]
        latest = self._results[last, max(places)] if places else self._answers[last]
        generation, failures = latest["life"]
        return generation, failures


def fits(data: Any) -> bool:
    """Whether it fits into a checkpoint."""
    return len(encode(data).encode()) <= LONGEST


def _read_answer(saved: Mapping[str, Any]) -> ModelAnswer:
    fields = saved["answer"]
    requests = tuple(ToolRequest(**request) for request in fields["requests"])
    return ModelAnswer(fields["text"], requests, fields["units"], fields["finish_reason"])
