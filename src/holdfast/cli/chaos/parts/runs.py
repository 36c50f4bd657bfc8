"""Runs: each that was sealed ends, with one job of its own to follow it."""

import asyncio
import random

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.runs import seal_run, start_run
from holdfast.db.statement import Fetcher
from holdfast.model.error import HoldfastError
from holdfast.model.id import RunId

FOLLOW = {"task": "followed", "queue": QUEUE}  # without a payload it is told which run it follows
UNENDED = "select id from holdfast.runs where sealed_at is not null and ended_at is null"
# Run by run: in a sum, one that was followed twice and one that never was would cancel out.
FOLLOWED = """
select
  coalesce(r.id::text, j.run, 'of no name') as run,
  count(j.id) as jobs,
  bool_or(r.ended_at is not null) as is_ended
from (select * from holdfast.runs where on_complete is not null) as r
full join (
  select id, payload ->> 'run' as run from holdfast.job_view where task = 'followed'
) as j on j.run = r.id::text
group by 1
having count(j.id) <> count(distinct r.id) filter (where r.ended_at is not null)
"""


class Runs(Part):
    name = "runs"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def member(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def followed(run: str) -> None:
            await asyncio.sleep(0)

    async def produce(self, giver: Giver) -> None:
        try:
            run = await start_run(giver.database, "chaos", {"on_complete": FOLLOW})
        except HoldfastError:
            return
        for _ in range(giver.luck.randint(1, 3)):
            await giver.give("member", [{}] * giver.luck.randint(1, 10), options={"run": str(run)})
        await _seal(giver, run)

    async def check(self, database: Fetcher) -> list[str]:
        wrong = [f"the run {row['id']} is sealed and did not end" for row in await database.fetch(UNENDED)]
        return wrong + [
            f"the run {row['run']} {'has ended' if row['is_ended'] else 'has not ended'}"
            f" and was followed by {row['jobs']} jobs"
            for row in await database.fetch(FOLLOWED)
        ]


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
