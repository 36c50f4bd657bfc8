"""A queue that may run two jobs at once: at no time are three held."""

import asyncio
import random

from chaos.concurrency_watch import violations_of, watch_tables
from chaos.workload import RETRY, Producer, Workload
from holdfast import Holdfast
from holdfast.db.statement import Fetcher

QUEUE = "chaos-limited"
MOST = 2


class QueueLimit(Workload):
    name = "queue_limit"
    tables = watch_tables("narrow")

    def register(self, app: Holdfast) -> None:
        app.queue(QUEUE, max_concurrent=MOST, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def narrow(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

    async def produce(self, producer: Producer) -> None:
        await producer.enqueue("narrow", [{}] * producer.rng.randint(1, 3), options={"queue": QUEUE})

    async def check(self, database: Fetcher) -> list[str]:
        return await violations_of(database, "narrow", MOST)


WORKLOAD = QueueLimit()
