"""Produces jobs for as long as chaos lasts, and keeps a ledger of what the database accepted."""

import asyncio
import random
from dataclasses import dataclass, field
from uuid import uuid4

from holdfast.cli.chaos.app import QUEUE
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.model.error import DatabaseError, DatabaseUnavailable, Timeout
from holdfast.model.id import JobId
from holdfast.model.payload import encode

TASKS = ("plain", "plain", "effect", "stepwise")


@dataclass(slots=True)
class Ledger:
    """`indeterminate`: the answer to the commit got lost; the keys of what may or may not be there."""

    accepted: dict[JobId, str] = field(default_factory=dict)
    indeterminate: set[str] = field(default_factory=set)
    refused: int = 0


async def produce(database: Database, ledger: Ledger, luck: random.Random, until: asyncio.Event) -> None:
    """Every job has a unique key, so that a lost answer can be asked for again: it is the same job."""
    number = 0
    while not until.is_set():
        keys = [str(uuid4()) for _ in range(luck.randint(1, 20))]
        await _store(database, ledger, luck, keys, number)
        number += len(keys)
        await asyncio.sleep(luck.random() * 0.1)


async def _store(
    database: Database, ledger: Ledger, luck: random.Random, keys: list[str], number: int
) -> None:
    tasks = [luck.choice(TASKS) for _ in keys]
    payloads = [encode({"number": number + i}) for i in range(len(keys))]
    each = [_options(luck, key) for key in keys]
    ledger.indeterminate.update(keys)
    for _ in range(20):
        try:
            stored = await enqueue_jobs(database, tasks, payloads, {"queue": QUEUE}, each)
        except (DatabaseUnavailable, DatabaseError, Timeout):
            ledger.refused += 1
            await asyncio.sleep(0.3)
        else:
            ledger.accepted.update({job.id: key for job, key in zip(stored, keys, strict=True)})
            ledger.indeterminate.difference_update(keys)
            return


def _options(luck: random.Random, key: str) -> dict[str, object]:
    options: dict[str, object] = {"unique_key": key, "unique_for": "forever", "unique_scope": "chaos"}
    if luck.random() < 0.2:
        options["order_key"] = f"line {luck.randint(1, 5)}"
    if luck.random() < 0.2:
        options["delay"] = luck.random()
    if luck.random() < 0.3:
        options["priority"] = luck.randint(0, 100)
    return options
