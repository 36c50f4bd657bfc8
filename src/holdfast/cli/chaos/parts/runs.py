"""Runs: each that was sealed ends, with one job to follow it."""

import asyncio
import random

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.runs import seal_run, start_run
from holdfast.model.error import HoldfastError
from holdfast.model.id import RunId

FOLLOW = {"task": "followed", "queue": QUEUE, "payload": {}}
UNENDED = "select id from holdfast.runs where sealed_at is not null and ended_at is null"
FOLLOWED = """
select
  (select count(*) from holdfast.runs where ended_at is not null and on_complete is not null) as runs,
  (select count(*) from holdfast.history where task = 'followed') as jobs
"""


class Runs(Part):
    name = "runs"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def member(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def followed() -> None:
            await asyncio.sleep(0)

    async def produce(self, giver: Giver) -> None:
        try:
            run = await start_run(giver.database, "chaos", {"on_complete": FOLLOW})
        except HoldfastError:
            return
        for _ in range(giver.luck.randint(1, 3)):
            await giver.give("member", [{}] * giver.luck.randint(1, 10), options={"run": str(run)})
        await _seal(giver, run)

    async def check(self, database: Database) -> list[str]:
        wrong = [f"the run {row['id']} is sealed and did not end" for row in await database.fetch(UNENDED)]
        ((runs, jobs),) = await database.fetch(FOLLOWED)
        return wrong if runs == jobs else [*wrong, f"{jobs} jobs followed {runs} runs"]


async def _seal(giver: Giver, run: RunId) -> None:
    """Until it is: sealing twice does no harm."""
    while True:
        try:
            await seal_run(giver.database, run)
        except HoldfastError:
            await asyncio.sleep(0.3)
        else:
            return


PART = Runs()
