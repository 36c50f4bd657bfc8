"""The application: four agents on two Ollama servers, and the pipeline that posts go through."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from pydantic_core import to_json

from holdfast import Agent, Holdfast, JobContext, Pipeline, PipelineHandle, Stage, Task

PIPELINE = "posts"
DATABASE = "HOLDFAST_DATABASE_URL"
RETRY_DELAYS = "POSTS_RETRY_DELAYS"
# Two servers, each with the limits of its two stages together, and where their addresses are read from.
ENDPOINTS = {"ollama-8001": 4 + 3, "ollama-8002": 2 + 2}
ADDRESSES = {"ollama-8001": "POSTS_OLLAMA_8001", "ollama-8002": "POSTS_OLLAMA_8002"}
TOKENS_PER_CALL = 100  # a guess: what a server that answers 429 is taken to have refused
DEFAULTS = {
    ADDRESSES["ollama-8001"]: "http://localhost:8001",
    ADDRESSES["ollama-8002"]: "http://localhost:8002",
    RETRY_DELAYS: "60,300,900",
}


class Triage(BaseModel):
    topic: str
    score: int = Field(ge=0, le=10, description="how much the post is worth an answer")


class Research(BaseModel):
    facts: list[str] = Field(min_length=1)


class Response(BaseModel):
    draft: str


class Editorial(BaseModel):
    text: str


async def prompt(post: dict[str, Any], ctx: JobContext) -> str:
    """The first message to each model: the post, and the latest result of each earlier stage."""
    context = {f"{stage}_result": result for stage, result in (await ctx.context).items()}
    return to_json({"post": post, "context": context}).decode()


def search_web(query: str) -> list[str]:
    """Find pages about a subject."""
    return [f"page {number} about {query}" for number in (1, 2)]


@dataclass(frozen=True, slots=True)
class StageAgent:
    """`next_stages`: those that its tool `advance` offers. A post also goes on in order by itself."""

    model: str
    endpoint: str
    max_concurrent: int
    duty: str
    output: type[BaseModel]
    next_stages: tuple[str, ...]
    tools: tuple[Callable[..., Any], ...] = ()


STAGES = {
    "triage": StageAgent(
        model="llama3.1:8b",
        endpoint="ollama-8001",
        max_concurrent=4,
        duty="Score the post. Reject advertisements.",
        output=Triage,
        next_stages=("research", "response"),
    ),
    "research": StageAgent(
        model="llama3.1:70b",
        endpoint="ollama-8002",
        max_concurrent=2,
        duty="Collect facts.",
        output=Research,
        next_stages=("response",),
        tools=(search_web,),
    ),
    "response": StageAgent(
        model="llama3.1:70b",
        endpoint="ollama-8002",
        max_concurrent=2,
        duty="Draft an answer from the facts.",
        output=Response,
        next_stages=("editorial",),
    ),
    "editorial": StageAgent(
        model="llama3.1:8b",
        endpoint="ollama-8001",
        max_concurrent=3,
        duty="Polish the draft, return it for another, or reject it.",
        output=Editorial,
        next_stages=("response",),
    ),
}


def posts_app(environment: Mapping[str, str]) -> tuple[Holdfast, PipelineHandle]:
    """The app, and the handle that takes posts."""
    settings = {**DEFAULTS, **environment}
    app = Holdfast(settings.get(DATABASE), name="posts")
    for name, limit in ENDPOINTS.items():
        app.endpoint(name, mode="fixed", max=limit, estimate=TOKENS_PER_CALL)
    delays = [float(delay) for delay in settings[RETRY_DELAYS].split(",")]
    stages = [
        Stage(
            name,
            task=_task(app, name, stage, settings[ADDRESSES[stage.endpoint]]),
            endpoint=stage.endpoint,
            max_concurrent=stage.max_concurrent,
            retry=delays,
            output=stage.output,
            max_visits=2,
        )
        for name, stage in STAGES.items()
    ]
    return app, app.pipeline(Pipeline(PIPELINE, stages))


def _task(app: Holdfast, name: str, stage: StageAgent, url: str) -> Task[..., Any]:
    agent = Agent(
        name,
        model=stage.model,
        url=url,
        api="ollama",
        prompt=prompt,
        system=f"You are the {name} agent. {stage.duty} Store your result with write_to_database.",
        tools=stage.tools,
        output=stage.output,
        stages=stage.next_stages,
    )
    return app.task()(agent)


app, posts = posts_app(os.environ)
