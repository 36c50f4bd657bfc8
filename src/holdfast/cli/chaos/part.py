"""A part of the mix: one kind of work, with its handlers, producer and check. One file each in parts/."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID, uuid4

from holdfast.cli.chaos.ledger import Ledger, read_answer
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.statement import Fetcher
from holdfast.model.error import HoldfastError
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText, encode
from holdfast.model.retry import RetryPolicy
from holdfast.worker.context import JobContext

QUEUE = "chaos"
RETRY = RetryPolicy.exponential(0.2, cap=1, tries=30)
TRIES = 20
PAUSE = 0.3
POISONED = 86  # the exit code of a worker that a job of the mix has ended


@dataclass(frozen=True, slots=True)
class Given:
    """A job that was accepted, and the payload it was given."""

    job: JobId
    payload: JsonText


@dataclass(frozen=True, slots=True)
class Giver:
    """What a producer has: a way to the database that may break, and the ledger."""

    database: Database
    ledger: Ledger
    luck: random.Random

    async def give(
        self,
        task: str,
        payloads: Sequence[dict[str, Any]],
        each: Sequence[Mapping[str, Any]] | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        may_repeat: bool = False,
    ) -> list[Given]:
        """Store a job per payload, each under a new `ref`, and write down what came of it.

        `may_repeat`: they have unique keys, so that after an error the same can be asked for again.
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
                return [Given(job.id, text) for job, text in zip(stored, texts, strict=True)]
        return []


class Part:
    """Subclass it in a file of parts/ and name an instance PART there: that is all it takes to join.

    Handlers take `ref` and ignore it. What a part makes besides what it gives has no `ref` in its payload.
    """

    name: ClassVar[str]
    tables: ClassVar[str] = ""  # made before the workers start
    mortal: ClassVar[Sequence[str]] = ()  # tasks of which some are meant to die

    def register(self, app: Holdfast) -> None:
        """Declares the handlers; called in every worker."""
        raise NotImplementedError

    async def produce(self, giver: Giver) -> None:
        """One round; called again and again while harm is done."""
        raise NotImplementedError

    async def check(self, database: Fetcher) -> list[str]:
        """What is wrong when all is healed and done, in words."""
        return []


def token_of(context: JobContext) -> UUID:
    """What no handler needs to know. A number is given again after a crash that the claim did not survive, so
    that only the token tells for certain which attempt has written something."""
    return context._running.job.token
