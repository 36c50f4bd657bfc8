"""One kind of work: its handlers, what enqueues its jobs, and its check. One file each in workloads/."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID, uuid4

from chaos.enqueue_ledger import Ledger, read_answer
from chaos.http_api import Replicas
from holdfast import Holdfast, HoldfastError, JobContext, RetryPolicy
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import Fetcher
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText, encode

QUEUE = "chaos"
RETRY = RetryPolicy.exponential(0.2, cap=1, tries=30)
TRIES = 20
PAUSE = 0.3
POISONED = 86  # the exit code of a worker that one of the jobs has ended


@dataclass(frozen=True, slots=True)
class Enqueued:
    """A job that the database accepted, and its payload."""

    job: JobId
    payload: JsonText


@dataclass(frozen=True, slots=True)
class Producer:
    """Enqueues jobs over a connection that may break, and records the answers in the ledger."""

    database: Database
    ledger: Ledger
    rng: random.Random
    replicas: Replicas | None = None

    async def enqueue(
        self,
        task: str,
        payloads: Sequence[dict[str, Any]],
        each: Sequence[Mapping[str, Any]] | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        may_repeat: bool = False,
    ) -> list[Enqueued]:
        """Enqueue a job per payload, each with a new `ref`, and record the answer.

        `may_repeat`: they have unique keys, so that after an error the same call can be repeated.
        """
        refs = [str(uuid4()) for _ in payloads]
        texts = [encode({**payload, "ref": ref}) for payload, ref in zip(payloads, refs, strict=True)]
        asked = {"queue": QUEUE, **(options or {})}
        self.ledger.offer(refs)
        for _ in range(TRIES if may_repeat else 1):
            try:
                stored = await enqueue_jobs(self.database, [task], texts, asked, each)
            except HoldfastError as exc:
                self.ledger.fail([] if may_repeat else refs, read_answer(exc))
                await asyncio.sleep(PAUSE)
            else:
                for ref, text, job in zip(refs, texts, stored, strict=True):
                    self.ledger.accept(ref, job.id, text)
                return [Enqueued(job.id, text) for job, text in zip(stored, texts, strict=True)]
        return []


class Workload:
    """A file of workloads/ has a subclass, and an instance of it named WORKLOAD.

    Handlers take `ref` and ignore it. Jobs that are made in another way have no `ref` in their payload.
    """

    name: ClassVar[str]
    tables: ClassVar[str] = ""  # made before the workers start
    may_die: ClassVar[Sequence[str]] = ()  # tasks whose jobs may end dead

    def register(self, app: Holdfast) -> None:
        """Declare the handlers; called in every worker."""
        raise NotImplementedError

    async def produce(self, producer: Producer) -> None:
        """One round; called again and again while faults are injected."""
        raise NotImplementedError

    async def stop(self, database: Database) -> None:
        """Stop what makes jobs by itself; called when all faults are healed, until it succeeds."""

    async def check(self, database: Fetcher) -> list[str]:
        """What is wrong after all faults are healed and all jobs have ended."""
        return []


def token_of(context: JobContext) -> UUID:
    """The token of an attempt. If a crash undoes a claim, the next attempt gets the same number, so that only
    the token identifies the attempt that has written something."""
    return context._attempt.job.token
