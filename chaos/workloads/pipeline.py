"""Jobs through a pipeline that now and then loops back, and fans out: no stage is left out."""

import asyncio
import random

from chaos.workload import RETRY, Producer, Workload
from holdfast import Advance, Holdfast, JobContext, Pipeline, Stage
from holdfast.db.statement import Fetcher

PIPELINE = "chaos-line"
WRONG = """
select id, state, output::text as output
from holdfast.history
where pipeline = 'chaos-line'
  and (state <> 'completed' or output::jsonb is distinct from '["draft", "left", "review", "right"]')
"""


class PipelineWorkload(Workload):
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

    async def produce(self, producer: Producer) -> None:
        options = {"pipeline": PIPELINE, "queue": f"{PIPELINE}.draft"}
        await producer.enqueue("draft", [{}] * producer.rng.randint(1, 2), options=options)

    async def check(self, database: Fetcher) -> list[str]:
        found = await database.fetch(WRONG)
        return [f"{row['id']} ended as {row['state']} with {row['output']}" for row in found]


async def _moment() -> None:
    await asyncio.sleep(random.random() * 0.05)


WORKLOAD = PipelineWorkload()
