"""A queue that may run two at once: no sweep over its attempts ever finds three."""

import asyncio
import random

from holdfast.cli.chaos.part import RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database

QUEUE = "chaos-limited"
# Every start is a step up, every end a step down; an end at the same moment as a start comes first.
CROWDED = """
with held as (
  select started_at, ended_at from holdfast.history where queue = 'chaos-limited' and started_at is not null
  union
  select started_at, ended_at from holdfast.attempts where queue = 'chaos-limited' and started_at is not null
), step as (
  select started_at as at, 1 as way from held
  union all
  select ended_at, -1 from held
)
select at, running
from (select at, sum(way) over (order by at, way) as running from step) as swept
where running > 2
limit 5
"""


class Limited(Part):
    name = "limited"

    def register(self, app: Holdfast) -> None:
        app.queue(QUEUE, max_concurrent=2)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def narrow(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

    async def produce(self, giver: Giver) -> None:
        await giver.give("narrow", [{}] * giver.luck.randint(1, 3), options={"queue": QUEUE})

    async def check(self, database: Database) -> list[str]:
        return [f"{row['running']} ran at once at {row['at']}" for row in await database.fetch(CROWDED)]


PART = Limited()
