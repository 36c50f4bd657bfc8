"""What the workers run under chaos: jobs that wait, fail, save steps, and write in their own transaction."""

import asyncio
import random

from holdfast.client.app import Holdfast
from holdfast.model.retry import RetryPolicy
from holdfast.worker.context import JobContext

QUEUE = "chaos"
RETRY = RetryPolicy.exponential(0.2, cap=1, tries=20)

# Each effect names the job that made it; a second one for the same job is what must never be.
EFFECTS = "create table if not exists public.chaos_effects (job uuid not null, attempt integer not null)"

app = Holdfast(name="chaos")


@app.task(queue=QUEUE, retry=RETRY, timeout="30s")
async def plain(number: int) -> int:
    await asyncio.sleep(random.random() * 0.1)
    if random.random() < 0.05:
        raise RuntimeError("an error now and then")
    return number


@app.task(queue=QUEUE, retry=RETRY, timeout="30s")
async def effect(context: JobContext, number: int) -> None:
    """The row and the completion commit together."""
    await asyncio.sleep(random.random() * 0.05)
    async with context.transaction() as tx:
        await tx.execute(
            "insert into public.chaos_effects (job, attempt) values ($1, $2)", context.id, context.attempt
        )
        await asyncio.sleep(random.random() * 0.05)
        tx.output = number


@app.task(queue=QUEUE, retry=RETRY, timeout="30s")
async def stepwise(context: JobContext, number: int) -> int:
    """A recorded step is not done again by a later attempt."""
    total = 0
    for step in range(3):
        total += await context.step(f"step {step}", _wait_and_count)
    return number + total


async def _wait_and_count() -> int:
    await asyncio.sleep(random.random() * 0.05)
    return 1
