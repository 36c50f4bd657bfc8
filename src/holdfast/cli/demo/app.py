"""The app that the demo's workers run: one task, which asks the model server a question."""

import asyncio
import os

from holdfast.cli.demo.ask import ask
from holdfast.client.app import Holdfast
from holdfast.model.retry import RetryPolicy
from holdfast.worker.context import JobContext

QUEUE = "questions"
MODEL_URL = "HOLDFAST_DEMO_MODEL_URL"

app = Holdfast(name="demo")


# The model server fails often and is back at once, so the tries are many and close together.
@app.task(queue=QUEUE, retry=RetryPolicy.exponential(0.2, cap=2, tries=12), timeout="20s")
async def answer(context: JobContext, question: str) -> str:
    """The idempotency key is the same for every attempt: the server is asked again, but answers once."""
    key = context.idempotency_key("ask")
    reply = await asyncio.to_thread(ask, os.environ[MODEL_URL], question, key)
    context.units(reply.tokens)
    return reply.text
