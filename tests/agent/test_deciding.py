"""What becomes of a job is what its agent's model decides."""

from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.state import State
from holdfast.testing import Answer, ToolCall
from tests.agent.scene import QUEUE, WRITTEN, Triage, scene
from tests.worker.working import attempts_of, ended, in_state, until, working

APIS = pytest.mark.parametrize("api", ["openai", "ollama"])


@APIS
async def test_what_the_model_writes_is_the_output(app: Holdfast, api: str) -> None:
    async with scene(app, ToolCall("write_to_database", WRITTEN), "I am done.") as s:
        job = await s.run(s.agent(api=api, output=Triage), title="Boats", tags=["sea"])
    assert (job.state, job.output, job.labels) == (State.COMPLETED, WRITTEN, {})
    system, prompt = s.told(0)
    assert system == ("system", "You triage.")
    assert prompt[0] == "user"
    assert '"Boats"' in prompt[1]
    assert s.asked[0].tools == ("write_to_database", "reject", "retry")
    assert s.told(1)[-1] == ("tool", "Stored.")


@APIS
async def test_the_last_of_several_writings_counts(app: Holdfast, api: str) -> None:
    both = (ToolCall("write_to_database", {"score": 1, "why": "a"}), ToolCall("write_to_database", WRITTEN))
    async with scene(app, Answer(tool_calls=both), "") as s:
        job = await s.run(s.agent(api=api, output=Triage))
    assert job.output == WRITTEN


@APIS
async def test_a_rejected_job_says_why(app: Holdfast, api: str) -> None:
    async with scene(app, ToolCall("reject", {"reason": "spam"})) as s:
        job = await s.run(s.agent(api=api, output=Triage))
    assert (job.state, job.reason, job.output) == (State.REJECTED, "spam", None)


@APIS
async def test_a_retry_is_a_failure_and_starts_the_conversation_anew(app: Holdfast, api: str) -> None:
    again = ToolCall("retry", {"reason": "the index is rebuilt", "delay": 0})
    async with scene(app, again, ToolCall("write_to_database", WRITTEN), "") as s:
        job = await s.run(s.agent(api=api, output=Triage))
        assert await attempts_of(app, job.id) == [("failed", "transient")]
    assert (job.state, job.output, job.attempt) == (State.COMPLETED, WRITTEN, 2)
    assert len(s.told(1)) == 2
    keys = [request.key for request in s.asked]
    assert [key.rpartition(":")[2] for key in keys if key] == ["turn-1", "round-1/turn-1", "round-1/turn-2"]


async def test_a_retry_waits_as_long_as_the_model_says(app: Holdfast) -> None:
    async with scene(app, ToolCall("retry", {"reason": "later", "delay": 3000})) as s:
        handle = await s.agent().enqueue(title="Boats")
        async with working(app, QUEUE):
            await until(in_state(handle, State.SCHEDULED))
        job = await handle.job()
    assert job.due_at is not None
    assert (job.due_at - job.created_at).total_seconds() > 2900


@APIS
async def test_an_agent_that_decides_nothing_completes_and_is_marked(app: Holdfast, api: str) -> None:
    async with scene(app, "I do not know.") as s:
        job = await s.run(s.agent(api=api, output=Triage))
        found = await app.jobs(labels={"no_decision": True})
    assert job.state is State.COMPLETED
    assert job.output == {"no_decision": True, "text": "I do not know.", "finish_reason": "stop"}
    assert [one.id for one in found] == [job.id]


async def test_the_mark_goes_when_a_replay_comes_to_a_decision(app: Holdfast) -> None:
    async with scene(app, "Hm.", ToolCall("write_to_database", WRITTEN), "") as s:
        job = await s.run(s.agent(output=Triage))
        await app.job(job.id).replay(reason="a better prompt")
        async with working(app, QUEUE):
            again = await ended(app.job(job.id))
    assert (again.output, again.labels) == (WRITTEN, {})


async def test_with_text_as_output_the_last_words_are_the_output(app: Holdfast) -> None:
    async with scene(app, "A short summary.") as s:
        job = await s.run(s.agent(output=str))
    assert (job.output, job.labels) == ("A short summary.", {})
    assert "write_to_database" not in s.asked[0].tools


async def test_words_that_were_cut_off_are_no_output(app: Holdfast) -> None:
    async with scene(app, "A very long summary, of which only a part is said.") as s:
        job = await s.run(s.agent(output=str, options={"max_tokens": 3}))
    assert job.labels == {"no_decision": True}
    assert job.output["finish_reason"] == "length"
    assert job.output["text"].startswith("A very")


async def test_without_an_output_model_any_object_can_be_written(app: Holdfast) -> None:
    free = {"anything": [1, {"deep": None}]}
    async with scene(app, ToolCall("write_to_database", free), "") as s:
        assert (await s.run(s.agent())).output == free


async def test_an_output_that_is_no_object_is_written_under_a_name(app: Holdfast) -> None:
    async with scene(app, ToolCall("write_to_database", {"output": ["a", "b"]}), "") as s:
        assert (await s.run(s.agent(output=list[str]))).output == ["a", "b"]


async def test_the_prompt_can_be_made_by_the_user(app: Holdfast) -> None:
    def ask(payload: dict[str, Any], ctx: Any) -> str:
        return f"Judge {payload['title']} in attempt {ctx.attempt}."

    async with scene(app, "") as s:
        await s.run(s.agent(prompt=ask))
    assert s.told(0)[-1] == ("user", "Judge Boats in attempt 1.")


@pytest.mark.parametrize(("api", "where"), [("openai", None), ("ollama", "options")])
async def test_temperature_and_options_reach_the_model(app: Holdfast, api: str, where: str | None) -> None:
    async with scene(app, "") as s:
        await s.run(s.agent(api=api, temperature=0.2, options={"seed": 4}))
    sent = s.asked[0].document
    assert {"temperature": 0.2, "seed": 4}.items() <= (sent[where] if where else sent).items()
