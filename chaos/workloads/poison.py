"""Jobs that end their worker, beside jobs that take longer: the former end dead, none of the latter does."""

import asyncio
import os
import sys

from chaos.workload import POISONED, RETRY, Producer, Workload
from holdfast import Holdfast
from holdfast.db.statement import Fetcher

QUEUE = "chaos-poison"
WAYS = ("exit", "interrupt", "close", "kill")
RARELY = 0.03
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


class Poison(Workload):
    name = "poison"
    may_die = ("poison",)

    def __init__(self) -> None:
        self._has_begun = False

    def register(self, app: Holdfast) -> None:
        # Faults of the worker that runs a suspect alone cost losses, too.
        app.queue(QUEUE, max_losses=6, detail="full")

        @app.task(queue=QUEUE, max_failures=2, retry=[0.2], timeout="30s")
        async def poison(ref: str, way: str) -> None:
            await asyncio.sleep(0.2)
            await _end_worker(way)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def beside(ref: str, seconds: float) -> None:
            await asyncio.sleep(seconds)

    async def produce(self, producer: Producer) -> None:
        rng = producer.rng
        payloads = [{"seconds": round(0.3 + rng.random(), 3)} for _ in range(rng.randint(1, 3))]
        await producer.enqueue("beside", payloads, options={"queue": QUEUE})
        if not self._has_begun or rng.random() < RARELY:
            self._has_begun = True
            await producer.enqueue("poison", [{"way": rng.choice(WAYS)}], options={"queue": QUEUE})

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['job']}: {row['what']}" for row in await database.fetch(WRONG)]


async def _end_worker(way: str) -> None:
    match way:
        case "exit":
            await asyncio.gather(_exit(), asyncio.sleep(10))
        case "interrupt":
            raise KeyboardInterrupt
        case "close":
            raise GeneratorExit
        case _:
            os._exit(POISONED)


async def _exit() -> None:
    sys.exit(1)


WORKLOAD = Poison()
