"""Jobs in steps: a step that was recorded is not done again."""

import asyncio
import random
from functools import partial

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

# A step runs outside of a transaction, so it may run twice; but never again once it is recorded.
AGAIN = """
select s.job, s.step
from public.chaos_steps as s
where s.was_recorded
"""
WRONG_SUM = (
    "select id from holdfast.history where task = 'stepwise' and state = 'completed' and output::text <> '3'"
)


class Steps(Workload):
    name = "steps"
    tables = """
    create table public.chaos_steps (
      job uuid not null, step integer not null, attempt integer not null, was_recorded boolean not null
    )
    """

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def stepwise(context: JobContext, ref: str) -> int:
            total = 0
            for number in range(3):
                total += await context.step(f"step {number}", partial(_do, app, context, number))
            return total

    async def produce(self, producer: Producer) -> None:
        await producer.enqueue("stepwise", [{}] * producer.rng.randint(1, 4))

    async def check(self, database: Fetcher) -> list[str]:
        again = [f"step {row['step']} of {row['job']} was done again" for row in await database.fetch(AGAIN)]
        return again + [f"wrong sum of steps: {row['id']}" for row in await database.fetch(WRONG_SUM)]


async def _do(app: Holdfast, context: JobContext, number: int) -> int:
    await asyncio.sleep(random.random() * 0.03)
    await app.database.execute(
        "insert into public.chaos_steps values ($1, $2::integer, $3, exists ("
        " select from holdfast.checkpoints"
        " where job_id = $1 and name = format('step %s', $2::integer) and attempt < $3))",
        context.id,
        number,
        context.attempt,
    )
    return 1


WORKLOAD = Steps()
