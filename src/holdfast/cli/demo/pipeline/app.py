"""The app of the demo: four agents, one for each stage, and the pipeline that they make up."""

from pydantic import BaseModel, Field

from holdfast.agent.agent import Agent
from holdfast.cli.demo.pipeline.posts import LIMITS, StageName
from holdfast.client.app import Holdfast
from holdfast.client.pipeline import PipelineHandle
from holdfast.client.task import Task
from holdfast.model.retry import RetryPolicy
from holdfast.pipeline.define import Pipeline, Stage

MODEL_URL = "HOLDFAST_DEMO_MODEL_URL"
PIPELINE = "posts"
KILLS = 3
# Where a stage may send a post; the next one in order is always open.
STAGES = {
    StageName.TRIAGE: [StageName.RESEARCH, StageName.RESPONSE],
    StageName.RESEARCH: [StageName.RESPONSE],
    StageName.RESPONSE: [StageName.EDITORIAL],
    StageName.EDITORIAL: [StageName.RESPONSE],
}


class Note(BaseModel):
    """What each stage leaves. The mark is the model's: nobody else can know it."""

    mark: str = Field(pattern="^[0-9a-f]{16}$")
    text: str


def look_up(subject: str) -> list[str]:
    """Find what was said earlier about a subject."""
    return [f"{subject}, part {part}" for part in (1, 2)]


def posts_app(model_url: str, database: str | None = None) -> tuple[Holdfast, PipelineHandle]:
    """The app, and the way in for posts."""
    app = Holdfast(database, name="demo")
    stages = [_stage(app, name, model_url) for name in StageName]
    posts = app.pipeline(Pipeline(PIPELINE, stages))
    for stage in stages:
        # However the kills fall, none of them is the loss that makes a post a dead letter.
        app.queue(f"{PIPELINE}.{stage.name}", max_losses=KILLS + 2)
    return app, posts


def _stage(app: Holdfast, name: StageName, model_url: str) -> Stage:
    task: Task[..., object] = app.task(retry=RetryPolicy.exponential(0.2, cap=2, tries=12))(
        Agent(
            name,
            model=f"simulated-{name}",
            url=model_url,
            system=f"You are at the stage {name}. Leave a note; send the post on, or reject it.",
            tools=[look_up] if name is StageName.RESEARCH else [],
            output=Note,
            stages=STAGES[name],
        )
    )
    return Stage(name, task=task, output=Note, max_concurrent=LIMITS[name], max_visits=2)
