"""Calls of an endpoint that takes four at a time: never more are in flight, whatever happens to callers."""

import asyncio
import random

from chaos.concurrency_watch import violations_of, watch_tables
from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast
from holdfast.db.statement import Fetcher

ENDPOINT = "chaos-model"
MOST = 4
LEFT_OVER = "select name, in_flight from holdfast.endpoints where in_flight <> 0"


class EndpointLimit(Workload):
    name = "endpoint_limit"
    tables = watch_tables("call")

    def register(self, app: Holdfast) -> None:
        app.endpoint(ENDPOINT, max=MOST)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s", endpoint=ENDPOINT)
        async def call(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)
            if random.random() < 0.02:
                raise ConnectionError("the model hung up")

    async def produce(self, producer: Producer) -> None:
        await producer.enqueue("call", [{}] * producer.rng.randint(1, 4), options={"endpoint": ENDPOINT})

    async def check(self, database: Fetcher) -> list[str]:
        left = [
            f"{row['in_flight']} permits of {row['name']} never came back"
            for row in await database.fetch(LEFT_OVER)
        ]
        return left + await violations_of(database, "call", MOST)


WORKLOAD = EndpointLimit()
