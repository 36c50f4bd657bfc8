"""Jobs through a pipeline that now and then loops back, and fans out: no stage is left out."""

import asyncio
import random

from holdfast.cli.chaos.part import RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher
from holdfast.model.route import Advance
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.worker.context import JobContext

PIPELINE = "chaos-line"
WRONG = """
select id, state, output::text as output
from holdfast.history
where pipeline = 'chaos-line'
  and (state <> 'completed' or output::jsonb is distinct from '["draft", "left", "review", "right"]')
"""


class Line(Part):
    name = "pipeline"

    def register(self, app: Holdfast) -> None:
        @app.task()
        async def draft(context: JobContext, ref: str) -> Advance | str:
            await _moment()
            return "text"

        @app.task()
        async def review(context: JobContext, ref: str) -> Advance:
            await _moment()
            visits = len([visit for visit in await context.history if visit.stage == "review"])
            if visits == 0 and random.random() < 0.2:
                return context.advance("draft", "again")
            return context.advance(["left", "right"], "good")

        @app.task()
        async def left(context: JobContext, ref: str) -> str:
            await _moment()
            return "left"

        @app.task()
        async def right(context: JobContext, ref: str) -> str:
            return "right"

        @app.task()
        async def join(context: JobContext, ref: str) -> list[str]:
            return sorted(await context.context)

        tasks = (draft, review, left, right, join)
        for task in tasks:
            app.queue(f"{PIPELINE}.{task.name}", detail="full")
        app.pipeline(Pipeline(PIPELINE, [Stage(task.name, task=task, retry=RETRY) for task in tasks]))

    async def produce(self, giver: Giver) -> None:
        options = {"pipeline": PIPELINE, "queue": f"{PIPELINE}.draft"}
        await giver.give("draft", [{}] * giver.luck.randint(1, 2), options=options)

    async def check(self, database: Fetcher) -> list[str]:
        found = await database.fetch(WRONG)
        return [f"{row['id']} ended as {row['state']} with {row['output']}" for row in found]


async def _moment() -> None:
    await asyncio.sleep(random.random() * 0.05)


PART = Line()
