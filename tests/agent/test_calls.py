"""Every call of the model and of a tool is on record, and calls carry keys that do not change."""

from holdfast.client.app import Holdfast
from holdfast.model.recorded_call import CallKind
from holdfast.model.state import State
from holdfast.testing import Answer, ToolCall
from tests.agent.scene import QUEUE, WRITTEN, Triage, scene
from tests.worker.working import ended, until, working


def look_up(word: str) -> str:
    """Look up a word."""
    return word


async def test_calls_are_recorded_with_units_seconds_and_why_they_ended(app: Holdfast) -> None:
    first = Answer(tool_calls=(ToolCall("look_up", {"word": "x"}),), tokens_in=10, tokens_out=5)
    second = Answer(tool_calls=(ToolCall("write_to_database", WRITTEN),), tokens_in=20, tokens_out=7)
    async with scene(app, first, second, Answer("done", tokens_in=30, tokens_out=1)) as s:
        job = await s.run(s.agent(tools=[look_up], output=Triage))
        calls = await s.calls(job.id)
    assert [(call.seq, call.kind, call.name, call.units, call.finish_reason) for call in calls] == [
        (1, CallKind.MODEL, "m", 15, "tool_calls"),
        (2, CallKind.TOOL, "look_up", None, "ok"),
        (3, CallKind.MODEL, "m", 27, "tool_calls"),
        (4, CallKind.TOOL, "write_to_database", None, "ok"),
        (5, CallKind.MODEL, "m", 31, "stop"),
    ]
    assert all(call.seconds >= 0 and call.error is None for call in calls)
    assert [call.argument_bytes for call in calls if call.kind is CallKind.TOOL] == [13, len(str(WRITTEN))]
    assert job.units == 73


async def test_each_turn_has_a_key_of_its_own_that_names_job_and_turn(app: Holdfast) -> None:
    async with scene(app, ToolCall("look_up", {"word": "x"}), "") as s:
        job = await s.run(s.agent(tools=[look_up]))
    keys = [request.key or "" for request in s.asked]
    assert [key.rpartition(":")[2] for key in keys] == ["turn-1", "turn-2"]
    assert all(str(job.id) in key for key in keys)


async def test_a_call_that_failed_is_made_again_with_the_same_key_and_both_are_recorded(
    app: Holdfast,
) -> None:
    async with scene(app, ToolCall("look_up", {"word": "x"}), "", outage="unavailable") as s:
        task = s.agent(tools=[look_up], retry=[0] * 5)
        handle = await task.enqueue(title="Boats")

        async def was_refused() -> bool:
            return len(s.server.ledger) >= 1

        async with working(app, QUEUE):
            await until(was_refused)
            s.server.change(outage="none")
            job = await ended(handle)
        calls = await s.calls(job.id)
    assert job.state is State.COMPLETED
    assert calls[0].finish_reason == "error"
    assert "answered 503" in (calls[0].error or "")
    by_key = s.server.ledger.by_key
    assert len(by_key) == 2
    assert s.server.ledger.repeated == {}
    assert max(len(made) for made in by_key.values()) >= 2
