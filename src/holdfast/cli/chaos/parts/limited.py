"""A queue that may run two at once: no sweep over the times in which its jobs were held ever finds three."""

import asyncio
import random

from holdfast.cli.chaos.part import RETRY, Giver, Part
from holdfast.cli.chaos.watch import unfit, watch
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher

QUEUE = "chaos-limited"
MOST = 2


class Limited(Part):
    name = "limited"
    tables = watch("narrow")

    def register(self, app: Holdfast) -> None:
        app.queue(QUEUE, max_concurrent=MOST, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def narrow(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

    async def produce(self, giver: Giver) -> None:
        await giver.give("narrow", [{}] * giver.luck.randint(1, 3), options={"queue": QUEUE})

    async def check(self, database: Fetcher) -> list[str]:
        return await unfit(database, "narrow", MOST)


PART = Limited()
