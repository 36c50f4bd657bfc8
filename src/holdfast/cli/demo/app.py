"""The app that the demo's workers run: one task, which asks the model server a question."""

import asyncio
import json
import os
from dataclasses import dataclass
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from holdfast.client.app import Holdfast
from holdfast.model.end_attempt import Permanent, RateLimited, Retry
from holdfast.model.retry import RetryPolicy
from holdfast.worker.context.job_context import JobContext

QUEUE = "questions"
MODEL_URL = "HOLDFAST_DEMO_MODEL_URL"
CALL_TIMEOUT = 10.0

app = Holdfast(name="demo")

# The model server is on this machine, whatever proxy the environment names.
_opener = build_opener(ProxyHandler({}))


# The model server fails often and is back at once, so the tries are many and close together.
@app.task(queue=QUEUE, retry=RetryPolicy.exponential(0.2, cap=2, tries=12), timeout="20s")
async def answer(context: JobContext, question: str) -> str:
    """The idempotency key is the same for every attempt: the server is asked again, and answers the same."""
    key = context.idempotency_key("ask")
    reply = await asyncio.to_thread(ask, os.environ[MODEL_URL], question, key)
    context.units(reply.tokens)
    return reply.text


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    tokens: int


def ask(url: str, question: str, key: str) -> Reply:
    """One call of the chat API; its exceptions tell Holdfast what to do."""
    body = json.dumps({"model": "demo", "messages": [{"role": "user", "content": question}]}).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    try:
        request = Request(f"{url}/v1/chat/completions", body, headers)
        with _opener.open(request, timeout=CALL_TIMEOUT) as response:
            document = json.load(response)
    except HTTPError as exc:
        with exc:
            raise _signal(exc) from exc
    except (URLError, TimeoutError, ConnectionError) as exc:
        raise Retry(f"the model server cannot be reached: {exc}") from exc
    return Reply(document["choices"][0]["message"]["content"], document["usage"]["total_tokens"])


def _signal(exc: HTTPError) -> Exception:
    if exc.code == 429:
        return RateLimited("the model server is busy", float(exc.headers.get("Retry-After", 1)))
    if exc.code >= 500:
        return Retry(f"the model server failed with {exc.code}")
    return Permanent(f"the model server refused the question with {exc.code}")
