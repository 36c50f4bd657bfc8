"""The application: a customer's queries are one run; each goes to two assistants, answers are stored once."""

import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import httpx2

from holdfast import Holdfast, JobContext, RetryPolicy, Run, WorkerPlan, WorkReport, Yield
from holdfast.model.dead_letter import DeadLetter, Triage

QUEUE = "analysis"
ASSISTANTS = ("atlas", "borealis")
URGENT, NORMAL = 90, 50

TABLES = """
create table answers (
  client    text not null,
  query     integer not null,
  assistant text not null,
  reply     text not null,
  job       uuid not null,
  primary key (client, query, assistant)
);
"""

app = Holdfast(name="analysis")

# A job whose worker vanished rests 5, 10, 20 and 40 minutes; the fifth loss makes it a dead letter.
app.queue(QUEUE, rescue_delay=["5m", "10m", "20m", "40m"], max_losses=5)


@dataclass(frozen=True, slots=True)
class Query:
    number: int
    text: str
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class Life:
    """How long a worker lives, and how many queries it works on at once."""

    time_box: timedelta
    slots: int
    most: int  # first workers of a run
    apart: timedelta  # between their starts


@app.resources
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """Opened once by each worker. trust_env: the assistants are on this machine, whatever proxy is named."""
    url = os.environ["ASSISTANTS_URL"]
    async with httpx2.AsyncClient(base_url=url, timeout=20, trust_env=False) as opened:
        yield opened


async def submit(customer: str, queries: Sequence[Query], continue_by: str, life: Life) -> Run:
    """One run for the customer: a job for each query, and the first workers, which are started by POST.

    The group is what keeps two runs apart: a worker claims by queue, and only jobs of its own group.
    """
    plan = WorkerPlan(
        continue_by,
        most=life.most,
        apart=life.apart,
        time_box=life.time_box,
        slots=life.slots,
        group=customer,
    )
    async with app.run(f"analysis for {customer}", labels={"customer": customer}, workers=plan) as run:
        await app.enqueue_many(
            analyse.options(
                run=run,
                group=customer,
                priority=URGENT if query.is_urgent else NORMAL,
                labels={"customer": customer, "query": query.number},
            ).call(customer, query.number, query.text)
            for query in queries
        )
    return run


@app.task(
    queue=QUEUE,
    retry=RetryPolicy.exponential("500ms", cap="5s", tries=10),
    timeout="1m",
    yields=True,
)
async def analyse(job: JobContext, customer: str, number: int, text: str) -> None:
    """Asks one assistant after the other; what was answered is saved, and is not asked for again."""
    replies: dict[str, str] = {}
    for done, assistant in enumerate(ASSISTANTS):
        if job.should_yield.is_set():  # this worker is about to leave: the next one goes on from here
            raise Yield
        await job.progress(done, total=len(ASSISTANTS), note=f"asking {assistant}")
        replies[assistant] = await job.step(assistant, partial(ask, job, assistant, text))
        if "everything" in text:
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory runs out
    async with job.transaction() as work:
        await work.executemany(
            "insert into answers (client, query, assistant, reply, job) values ($1, $2, $3, $4, $5)",
            [(customer, number, assistant, reply, job.id) for assistant, reply in replies.items()],
        )


async def ask(job: JobContext, assistant: str, text: str) -> str:
    """Errors are classed by status: 429 waits and costs nothing, 5xx is tried again, 400 is final."""
    body = {"model": assistant, "messages": [{"role": "user", "content": text}]}
    opened: httpx2.AsyncClient = job.resources
    answer = await opened.post(
        "/v1/chat/completions", json=body, headers={"Idempotency-Key": job.idempotency_key(assistant)}
    )
    answer.raise_for_status()
    return str(answer.json()["choices"][0]["message"]["content"])


async def work(event: Mapping[str, Any], continue_by: str, life: Life) -> WorkReport:
    """The body of the function: works for one time box, and asks for its successor if something is left."""
    return await app.work(
        time_box=life.time_box,
        slots=life.slots,
        queues=[QUEUE],
        group=event["group"],
        continuation=event,
        continue_by=continue_by,
        lease="5s",
        sweep="2s",
        patience="10s",
    )


async def triage(letter: DeadLetter) -> str:
    """What an operator decides about a dead letter; returns it in words."""
    sheet = await app.dead.show(letter.job)
    await app.dead.assign([letter.job], "support")
    if letter.reason == "lost_too_often":
        await app.dead.note([letter.job], "It needs more memory than a worker has.")
        await app.dead.triage([letter.job], Triage.IGNORED, "cannot be answered")
        return "ignored: it kills every worker"
    corrected = {**sheet.payload, "text": "What is said about us? (corrected)"}
    await app.dead.note([letter.job], "The customer corrected the query.")
    await app.dead.replace(letter.job, corrected, "corrected by the customer")
    return "replaced by a corrected query"
