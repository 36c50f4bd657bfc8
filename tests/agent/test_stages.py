"""Agents as stages of a pipeline: they decide where their jobs go."""

from typing import Any
from uuid import UUID

import pytest

from holdfast.agent.agent import Agent
from holdfast.client.app import Holdfast
from holdfast.client.pipeline import PipelineHandle
from holdfast.model.error import InvalidOption
from holdfast.model.job import Job
from holdfast.model.state import State
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.testing import Answer, ToolCall
from tests.agent.scene import WRITTEN, Scene, Triage, scene
from tests.worker.working import ended, working

WRITE = ToolCall("write_to_database", WRITTEN)


def pipeline(s: Scene, **options: Any) -> PipelineHandle:
    """Triage by an agent, then research and editorial by functions."""
    triage = s.agent(**{"output": Triage, **options})

    @s.app.task()
    async def research(title: str) -> str:
        return f"on {title}"

    @s.app.task()
    async def editorial(title: str) -> str:
        return f"{title}!"

    stages = [
        Stage("triage", task=triage, output=Triage, max_visits=2),
        Stage("research", task=research),
        Stage("editorial", task=editorial),
    ]
    return s.app.pipeline(Pipeline("posts", stages))


async def passed(s: Scene, posts: PipelineHandle) -> Job:
    await s.app.declare()
    handle = await posts.enqueue(title="Boats")
    async with working(s.app, "posts.triage", "posts.research", "posts.editorial"):
        return await ended(handle)


async def way(app: Holdfast, job: UUID) -> list[str]:
    rows = await app.database.fetch(
        "select stage from holdfast.stage_outputs where job_id = $1 order by generation, visit", job
    )
    return [row["stage"] for row in rows]


async def test_an_output_without_a_word_on_the_way_goes_to_the_next_stage(app: Holdfast) -> None:
    async with scene(app, WRITE, "done") as s:
        job = await passed(s, pipeline(s))
        stages = await way(app, job.id)
    assert (job.state, job.output) == (State.COMPLETED, "Boats!")
    assert stages[:2] == ["triage", "research"]


async def test_advance_skips_a_stage(app: Holdfast) -> None:
    both = Answer(tool_calls=(WRITE, ToolCall("advance", {"stage": "editorial"})))
    async with scene(app, both) as s:
        job = await passed(s, pipeline(s))
        stages = await way(app, job.id)
        context = await app.database.fetch("select stage, output from holdfast.load_context($1)", job.id)
    assert (job.state, job.output) == (State.COMPLETED, "Boats!")
    assert "research" not in stages
    assert context[0]["stage"] == "triage"


async def test_a_stage_that_is_not_there_goes_back_to_the_model_with_those_that_are(app: Holdfast) -> None:
    script = (WRITE, ToolCall("advance", {"stage": "moon"}), ToolCall("advance", {"stage": "research"}))
    async with scene(app, *script) as s:
        job = await passed(s, pipeline(s))
    assert (job.state, job.attempt) == (State.COMPLETED, 3)
    assert "'triage', 'research' or 'editorial'" in s.told(2)[-1][1]
    (advance,) = [
        one["function"] for one in s.asked[0].document["tools"] if one["function"]["name"] == "advance"
    ]
    assert advance["parameters"]["properties"]["stage"]["enum"] == ["triage", "research", "editorial"]


async def test_advance_before_an_output_goes_back_to_the_model(app: Holdfast) -> None:
    go = ToolCall("advance", {"stage": "editorial"})
    async with scene(app, go, WRITE, go) as s:
        job = await passed(s, pipeline(s))
    assert job.state is State.COMPLETED
    assert s.told(1)[-1] == ("tool", "Error: call write_to_database before advance.")


async def test_a_loop_is_offered_until_its_bound_only(app: Holdfast) -> None:
    back = Answer(tool_calls=(WRITE, ToolCall("advance", {"stage": "triage"})))
    async with scene(app, back, back, WRITE, "") as s:
        job = await passed(s, pipeline(s))
        stages = await way(app, job.id)
    assert job.state is State.COMPLETED
    assert stages[:3] == ["triage", "triage", "research"]
    assert "'research' or 'editorial'" in s.told(2)[-1][1]


async def test_the_agent_may_be_kept_to_some_stages(app: Holdfast) -> None:
    script = (WRITE, ToolCall("advance", {"stage": "research"}), ToolCall("advance", {"stage": "editorial"}))
    async with scene(app, *script) as s:
        job = await passed(s, pipeline(s, stages=["editorial"]))
        assert "research" not in await way(app, job.id)
    assert job.state is State.COMPLETED


async def test_without_a_decision_the_job_ends_where_it_is_and_is_marked(app: Holdfast) -> None:
    """Although what it leaves is not what the stage's model asks for."""
    async with scene(app, "Hm.") as s:
        job = await passed(s, pipeline(s))
        found = await app.jobs(labels={"no_decision": True})
    assert (job.state, job.stage) == (State.COMPLETED, "triage")
    assert job.output == {"no_decision": True, "text": "Hm.", "finish_reason": "stop"}
    assert [one.id for one in found] == [job.id]


async def test_a_rejection_ends_the_way(app: Holdfast) -> None:
    async with scene(app, ToolCall("reject", {"reason": "spam"})) as s:
        job = await passed(s, pipeline(s))
    assert (job.state, job.stage, job.reason) == (State.REJECTED, "triage", "spam")


async def test_the_prompt_has_what_earlier_stages_left(app: Holdfast) -> None:
    async with scene(app, WRITE, "", "Fine.") as s:
        triage = s.agent(output=Triage)
        editor = s.agent("editor", output=str)
        stages = [Stage("triage", task=triage, output=Triage), Stage("editorial", task=editor)]
        posts = s.app.pipeline(Pipeline("posts", stages))
        job = await passed(s, posts)
    assert job.output == "Fine."
    (_, prompt) = s.told(2)[-1]
    assert "What earlier stages left" in prompt
    assert "it is about boats" in prompt
    assert "earlier stages" not in s.told(0)[-1][1]


def test_an_agent_that_is_no_task_yet_is_refused_by_a_stage() -> None:
    with pytest.raises(InvalidOption, match="or the name of a task") as caught:
        Stage("triage", task=Agent("triage", model="m", url="http://host"))
    assert "app.task()" in (caught.value.hint or "")
