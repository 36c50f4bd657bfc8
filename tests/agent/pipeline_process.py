"""A worker for posts that agents decide about: python -m tests.agent.pipeline_process http://127.0.0.1:8000."""

import asyncio
import sys
from datetime import timedelta

from holdfast.agent.agent import Agent
from holdfast.client.app import Holdfast
from holdfast.client.pipeline import PipelineHandle
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.testing import Answer, ToolCall
from holdfast.testing.model_server import ChatRequest
from holdfast.worker.worker import Worker


def search(query: str) -> str:
    """Search the archive."""
    return f"all about {query}"


def posts(app: Holdfast, url: str) -> PipelineHandle:
    """Three agents; what they do with a post is in `decide`."""
    triage = Agent("triage", model="small", url=url, api="ollama", system="triage", tools=[search])
    research = Agent("research", model="large", url=url, system="research", tools=[search])
    editorial = Agent("editorial", model="small", url=url, system="editorial", output=str)
    stages = [
        Stage(agent.name, task=app.task(retry=[0] * 20)(agent)) for agent in (triage, research, editorial)
    ]
    return app.pipeline(Pipeline("posts", stages))


def decide(request: ChatRequest) -> Answer | ToolCall | str:
    """The same for every attempt: one of five skips, one is rejected, one loops, one is left undecided."""
    stage, asked = request.messages[0].text, request.messages[1].text
    kind = int(asked.partition('"number": ')[2].partition("\n")[0]) % 5
    answered = sum(message.role == "assistant" for message in request.messages)
    if stage == "editorial":
        return "Polished."
    if answered == 0:
        return ToolCall("search", {"query": stage})
    special = _triage(kind) if stage == "triage" else _research(kind, asked)
    if answered == 1 and special is not None:
        return special
    return ToolCall("write_to_database", {"stage": stage}) if answered == 1 else "Done."


def _triage(kind: int) -> Answer | ToolCall | str | None:
    if kind == 1:
        return ToolCall("reject", {"reason": "spam"})
    return _go_to("editorial") if kind == 2 else "I cannot say." if kind == 4 else None


def _research(kind: int, asked: str) -> Answer | None:
    """Back to triage once: what a stage has left is in the prompt of its next visit."""
    return _go_to("triage") if kind == 3 and '"research"' not in asked else None


def _go_to(stage: str) -> Answer:
    write = ToolCall("write_to_database", {"next": stage})
    return Answer(tool_calls=(write, ToolCall("advance", {"stage": stage})))


async def main(url: str) -> None:
    async with Holdfast(name="posts") as app:
        posts(app, url)
        lease, sweep = timedelta(seconds=2), timedelta(seconds=0.3)
        await Worker(app, app.queue_names, slots=8, lease=lease, sweep=sweep).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
