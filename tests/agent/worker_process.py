"""A worker with an agent in a process of its own: python -m tests.agent.worker_process http://127.0.0.1:8000.

Its first attempt is killed by a tool in the middle of the conversation, after another tool had its effect.
"""

import asyncio
import os
import signal
import sys
from datetime import timedelta

from holdfast.agent.agent import Agent
from holdfast.client.app import Holdfast
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.shutdown.signals import stop_on_signals
from holdfast.worker.worker import Worker

TABLE = "create table effects (job uuid, attempt integer)"
QUEUE = "agents"


def make(app: Holdfast, url: str, api: str) -> None:
    async def book(ctx: JobContext, seat: int) -> str:
        """Book a seat."""
        await app.database.execute("insert into effects values ($1, $2)", ctx.id, ctx.attempt)
        return f"booked {seat}"

    def check(ctx: JobContext) -> str:
        """Check the booking."""
        if ctx.attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return "all is well"

    agent = Agent(
        "book", model="m", url=url, api="ollama" if api == "ollama" else "openai", tools=[book, check]
    )
    app.task(queue=QUEUE)(agent)


async def main(url: str, api: str) -> None:
    app = Holdfast(name="crash")
    make(app, url, api)
    async with app:
        worker = Worker(app, [QUEUE], lease=timedelta(seconds=2), sweep=timedelta(seconds=0.3))
        with stop_on_signals(worker):
            await worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
