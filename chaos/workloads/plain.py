"""Short jobs that sometimes fail; some are delayed, some urgent, some have a large payload."""

import asyncio
import random
from typing import Any

from chaos.workload import QUEUE, RETRY, Producer, Workload, token_of
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

# The output names the attempt that wrote it; the row names the attempt that owned the job.
WRITTEN_BY_ANOTHER = """
select id, attempt, output::text as output
from holdfast.history
where task = 'plain'
  and state = 'completed'
  and (output ->> 'token' is distinct from token::text or output ->> 'attempt' is distinct from attempt::text)
"""


class Plain(Workload):
    name = "plain"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def plain(context: JobContext, ref: str, number: int, filler: str = "") -> dict[str, Any]:
            await asyncio.sleep(random.random() * 0.3)
            if random.random() < 0.05:
                raise RuntimeError("an error now and then")
            return {"attempt": context.attempt, "token": str(token_of(context))}

    async def produce(self, producer: Producer) -> None:
        rng = producer.rng
        payloads: list[dict[str, Any]] = [{"number": number} for number in range(rng.randint(1, 20))]
        payloads[0]["filler"] = "x" * rng.choice((0, 0, 5000))
        each = [_options(rng) for _ in payloads]
        await producer.enqueue("plain", payloads, each)

    async def check(self, database: Fetcher) -> list[str]:
        return [
            f"{row['id']} was completed in attempt {row['attempt']} with the output {row['output']}"
            for row in await database.fetch(WRITTEN_BY_ANOTHER)
        ]


def _options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["delay"] = rng.random()
    if rng.random() < 0.3:
        options["priority"] = rng.randint(0, 100)
    return options


WORKLOAD = Plain()
