"""Calls of an endpoint that takes four at a time: never more are in flight, whatever becomes of callers."""

import asyncio
import random

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.cli.chaos.watch import unfit, watch
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher

ENDPOINT = "chaos-model"
MOST = 4
LEFT_OVER = "select name, in_flight from holdfast.endpoints where in_flight <> 0"


class Endpoint(Part):
    name = "endpoint"
    tables = watch("call")

    def register(self, app: Holdfast) -> None:
        app.endpoint(ENDPOINT, max=MOST)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s", endpoint=ENDPOINT)
        async def call(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)
            if random.random() < 0.02:
                raise ConnectionError("the model hung up")

    async def produce(self, giver: Giver) -> None:
        await giver.give("call", [{}] * giver.luck.randint(1, 4), options={"endpoint": ENDPOINT})

    async def check(self, database: Fetcher) -> list[str]:
        left = [
            f"{row['in_flight']} permits of {row['name']} never came back"
            for row in await database.fetch(LEFT_OVER)
        ]
        return left + await unfit(database, "call", MOST)


PART = Endpoint()
