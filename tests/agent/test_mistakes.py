"""What the model gets wrong goes back to the model; what the user's tools decide ends the attempt."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.end_attempt import Permanent, Reject, Retry, Snooze
from holdfast.model.state import State
from holdfast.testing import Answer, ToolCall
from holdfast.worker.context.job_context import JobContext
from tests.agent.scene import QUEUE, WRITTEN, Triage, scene
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, in_state, until, working

WRITE = ToolCall("write_to_database", WRITTEN)


def look_up(word: str, limit: int = 3) -> list[str]:
    """Look up a word."""
    return [word] * limit


@pytest.mark.parametrize("api", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"word": ["a"]}, "word: Input should be a valid string"),
        ({}, "word: Field required"),
        ({"word": "a", "colour": "red"}, "colour: Unexpected keyword argument"),
        ("{broken", "Invalid JSON"),
        ("[1]", "arguments: Input should be"),
    ],
)
async def test_arguments_that_do_not_fit_go_back_to_the_model(
    app: Holdfast, api: str, arguments: Any, complaint: str
) -> None:
    async with scene(app, ToolCall("look_up", arguments), WRITE, "") as s:
        job = await s.run(s.agent(api=api, tools=[look_up], output=Triage))
    assert (job.state, job.attempt) == (State.COMPLETED, 1)
    role, text = s.told(1)[-1]
    assert role == "tool"
    assert text.startswith("Error: ")
    assert complaint in text


async def test_a_tool_that_does_not_exist_is_named_with_those_that_do(app: Holdfast) -> None:
    async with scene(app, ToolCall("fly to the moon", {}), WRITE, "") as s:
        job = await s.run(s.agent(tools=[look_up], output=Triage))
    assert job.state is State.COMPLETED
    (_, text) = s.told(1)[-1]
    assert "there is no tool fly_to_the_moon" in text
    assert "look_up, reject, retry, write_to_database" in text


async def test_an_output_that_does_not_fit_goes_back_to_the_model(app: Holdfast) -> None:
    wrong = ToolCall("write_to_database", {"score": 11, "why": "x"})
    async with scene(app, wrong, WRITE, "") as s:
        job = await s.run(s.agent(output=Triage))
    assert job.output == WRITTEN
    assert "score: Input should be less than or equal to 10" in s.told(1)[-1][1]


async def test_an_output_that_cannot_be_stored_goes_back_to_the_model(app: Holdfast) -> None:
    async with scene(app, ToolCall("write_to_database", {"a": "\x00"}), WRITE, "") as s:
        job = await s.run(s.agent())
    assert job.output == WRITTEN
    assert "$.a" in s.told(1)[-1][1]


async def test_a_decision_without_a_reason_goes_back_to_the_model(app: Holdfast) -> None:
    async with scene(app, ToolCall("reject", {}), ToolCall("reject", {"reason": "spam"})) as s:
        job = await s.run(s.agent())
    assert (job.state, job.reason) == (State.REJECTED, "spam")


async def test_a_tool_that_raises_tells_the_model(app: Holdfast) -> None:
    async def divide(a: int, b: int) -> float:
        return a / b

    async with scene(app, ToolCall("divide", {"a": 1, "b": 0}), WRITE, "") as s:
        job = await s.run(s.agent(tools=[divide], output=Triage))
    assert job.state is State.COMPLETED
    assert s.told(1)[-1] == ("tool", "Error: ZeroDivisionError: division by zero")


@pytest.mark.parametrize(
    ("raised", "state"),
    [(Reject("not ours"), State.REJECTED), (Permanent("never"), State.DEAD)],
)
async def test_a_tool_may_end_the_job(app: Holdfast, raised: Exception, state: State) -> None:
    async def check() -> None:
        raise raised

    async with scene(app, ToolCall("check", {})) as s:
        job = await s.run(s.agent(tools=[check]))
        calls = await s.calls(job.id)
    assert job.state is state
    assert (calls[-1].name, calls[-1].finish_reason, calls[-1].error) == (
        "check",
        type(raised).__name__,
        str(raised),
    )


@pytest.mark.parametrize("signal", [Retry("not yet", 0), Snooze(0)])
async def test_a_tool_that_puts_the_job_off_is_called_again_in_the_same_conversation(
    app: Holdfast, signal: Exception
) -> None:
    attempts: list[int] = []

    async def wait(ctx: JobContext) -> str:
        attempts.append(ctx.attempt)
        if ctx.attempt == 1:
            raise signal
        return "ready"

    async with scene(app, ToolCall("wait", {}), WRITE, "") as s:
        job = await s.run(s.agent(tools=[wait]))
    assert (job.state, attempts) == (State.COMPLETED, [1, 2])
    assert s.told(1)[-1] == ("tool", "ready")


async def test_turns_are_bounded_and_the_failure_says_so(app: Holdfast) -> None:
    loop = [ToolCall("look_up", {"word": "x"})] * 6
    async with scene(app, *loop) as s:
        job = await s.run(s.agent(tools=[look_up], max_turns=3, retry=[0]))
        assert await attempts_of(app, job.id) == [("failed", "transient")] * 2
        (message,) = await app.database.fetch(
            "select message, error_type from holdfast.attempt_view where attempt = 2"
        )
    assert job.state is State.DEAD
    assert message["message"] == "The model m did not finish within 3 turns."
    assert message["error_type"].endswith("TooManyTurns")
    assert len(s.asked) == 6


async def test_tools_after_a_decision_are_not_called(app: Holdfast) -> None:
    called: list[str] = []

    def note(text: str) -> None:
        called.append(text)

    several = (
        ToolCall("note", {"text": "before"}),
        ToolCall("reject", {"reason": "spam"}),
        ToolCall("note", {"text": "after"}),
    )
    async with scene(app, Answer(tool_calls=several)) as s:
        await s.run(s.agent(tools=[note]))
    assert called == ["before"]


async def test_an_attempt_that_is_told_to_stop_leaves_the_conversation(app: Holdfast) -> None:
    """And a tool in a thread does not hold up the worker's leave for longer than its grace."""
    begun = asyncio.Event()

    async def linger() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with scene(app, ToolCall("linger", {}), "late") as s:
        handle = await s.agent(tools=[linger]).enqueue(title="Boats")
        async with working(app, QUEUE, grace=timedelta(0)):
            async with asyncio.timeout(PATIENCE):
                await begun.wait()
        await until(in_state(handle, State.READY))
    assert len(s.asked) == 1
