"""Jobs that end their worker, and neighbours that last longer: the culprits die, no neighbour does."""

import asyncio
import os
import sys

from holdfast.cli.chaos.part import POISONED, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher

QUEUE = "chaos-poison"
WAYS = ("exit", "interrupt", "close", "kill")
SELDOM = 0.03
WRONG = """
select h.id as job, format('a neighbour is dead: %s', h.reason) as what
from holdfast.history as h
where h.task = 'beside'
  and h.state = 'dead'
union all
select h.id, format('a culprit (%s) is %s', h.payload ->> 'way', h.state)
from holdfast.history as h
where h.task = 'poison'
  and h.state <> 'dead'
"""


class Poison(Part):
    name = "poison"
    mortal = ("poison",)

    def __init__(self) -> None:
        self._has_begun = False

    def register(self, app: Holdfast) -> None:
        # Harm to suspects that run alone costs losses, too.
        app.queue(QUEUE, max_losses=6, detail="full")

        @app.task(queue=QUEUE, max_failures=2, retry=[0.2], timeout="30s")
        async def poison(ref: str, way: str) -> None:
            await asyncio.sleep(0.2)
            await _meet(way)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def beside(ref: str, seconds: float) -> None:
            await asyncio.sleep(seconds)

    async def produce(self, giver: Giver) -> None:
        luck = giver.luck
        payloads = [{"seconds": round(0.3 + luck.random(), 3)} for _ in range(luck.randint(1, 3))]
        await giver.give("beside", payloads, options={"queue": QUEUE})
        if not self._has_begun or luck.random() < SELDOM:
            self._has_begun = True
            await giver.give("poison", [{"way": luck.choice(WAYS)}], options={"queue": QUEUE})

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['job']}: {row['what']}" for row in await database.fetch(WRONG)]


async def _meet(way: str) -> None:
    match way:
        case "exit":
            await asyncio.gather(_leave(), asyncio.sleep(10))
        case "interrupt":
            raise KeyboardInterrupt
        case "close":
            raise GeneratorExit
        case _:
            os._exit(POISONED)


async def _leave() -> None:
    sys.exit(1)


PART = Poison()
