"""When a conversation is continued, told again, or begun anew."""

from typing import Any

import pytest

from holdfast.agent.chat_messages import ModelAnswer, ToolRequest
from holdfast.agent.conversation_checkpoints import Memory
from holdfast.agent.conversation_end import Again, Decision, GoTo, Refuse
from holdfast.agent.tool_result import Result

NOW = (1, 0)
LATER = [(1, 1), (2, 0)]
ASKS = ModelAnswer(
    "", (ToolRequest("a", "look_up", "{}"), ToolRequest("b", "look_up", "{}")), 3.0, "tool_calls"
)
ENDS = ModelAnswer("bye", (), 2.0, "stop")


def saved(*turns: tuple[ModelAnswer, list[Result]], life: tuple[int, int] = NOW) -> dict[str, Any]:
    writer = Memory({}, life, 9)
    found: dict[str, Any] = {"unrelated": 1}
    for turn, (answer, results) in enumerate(turns, start=1):
        found[writer.answer_name(turn)] = writer.with_answer(answer)
        for place, result in enumerate(results):
            found[writer.result_name(turn, place)] = writer.with_result(result)
    return found


def test_nothing_is_known_at_first() -> None:
    memory = Memory({"other": 1, "agent/x": 2}, NOW, 8)
    assert (memory.round, memory.answer(1), memory.result(1, 0)) == (0, None, None)
    assert memory.step(3) == "turn-3"


@pytest.mark.parametrize("life", [NOW, *LATER])
def test_one_that_was_broken_off_is_continued_whatever_happened(life: tuple[int, int]) -> None:
    memory = Memory(saved((ASKS, [Result("one"), Result("two")]), (ASKS, [Result("three")])), life, 8)
    assert memory.round == 0
    assert memory.answer(1) == ASKS
    assert memory.result(2, 0) == Result("three")
    assert (memory.result(2, 1), memory.answer(3)) == (None, None)


ENDED = {
    "by words": saved((ASKS, [Result("a"), Result("b")]), (ENDS, [])),
    "by a decision": saved((ASKS, [Result("", decision=Refuse("spam"))])),
    "by its bound": saved((ASKS, [Result("a"), Result("b")]), (ASKS, [Result("a"), Result("b")])),
}


@pytest.mark.parametrize("end", ENDED)
def test_one_that_has_ended_is_told_again_to_the_same_life_only(end: str) -> None:
    assert Memory(ENDED[end], NOW, 2).round == 0
    for life in LATER:
        memory = Memory(ENDED[end], life, 2)
        assert (memory.round, memory.answer(1)) == (1, None)
        assert memory.answer_name(1) == "agent/1/1"
        assert memory.step(1) == "round-1/turn-1"


@pytest.mark.parametrize(
    "decision", [GoTo("research"), Refuse("spam"), Again("later", 3.5), Again("now", None)]
)
def test_what_is_saved_comes_back_equal(decision: Decision) -> None:
    result = Result("Done.", decision=decision, wrote=True, output={"a": [1]})
    memory = Memory(saved((ASKS, [result])), NOW, 8)
    assert memory.result(1, 0) == result
    assert memory.answer(1) == ASKS
