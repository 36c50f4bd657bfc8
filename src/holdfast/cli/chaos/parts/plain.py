"""Jobs that take a moment and fail now and then; some late, some urgent, some with much to carry."""

import asyncio
import random
from typing import Any

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part, token_of
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher
from holdfast.worker.context import JobContext

# The output says who left it; the row says who was entitled to.
USURPED = """
select id, attempt, output::text as output
from holdfast.history
where task = 'plain'
  and state = 'completed'
  and (output ->> 'token' is distinct from token::text or output ->> 'attempt' is distinct from attempt::text)
"""


class Plain(Part):
    name = "plain"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def plain(context: JobContext, ref: str, number: int, filler: str = "") -> dict[str, Any]:
            await asyncio.sleep(random.random() * 0.3)
            if random.random() < 0.05:
                raise RuntimeError("an error now and then")
            return {"attempt": context.attempt, "token": str(token_of(context))}

    async def produce(self, giver: Giver) -> None:
        luck = giver.luck
        payloads: list[dict[str, Any]] = [{"number": number} for number in range(luck.randint(1, 20))]
        payloads[0]["filler"] = "x" * luck.choice((0, 0, 5000))
        each = [_options(luck) for _ in payloads]
        await giver.give("plain", payloads, each)

    async def check(self, database: Fetcher) -> list[str]:
        return [
            f"{row['id']} was completed in attempt {row['attempt']} with the output {row['output']}"
            for row in await database.fetch(USURPED)
        ]


def _options(luck: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if luck.random() < 0.2:
        options["delay"] = luck.random()
    if luck.random() < 0.3:
        options["priority"] = luck.randint(0, 100)
    return options


PART = Plain()
