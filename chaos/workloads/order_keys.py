"""Jobs of few order keys: one at a time, in the order of their commits."""

import asyncio
import random

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

# One producer commits them one after the other, so their numbers are in commit order.
OVERTAKEN = """
select job
from (
  select job, line, number, max(number) over (partition by line order by at, job) as highest
  from public.chaos_lines
) as done
where number < highest
"""


class OrderKeys(Workload):
    name = "order_keys"
    tables = """
    create table public.chaos_lines (
      job uuid primary key, line text not null, number bigint not null,
      at timestamptz not null default clock_timestamp()
    )
    """

    def __init__(self) -> None:
        self._number = 0
        self._doubts = 0

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def in_line(context: JobContext, ref: str, line: str, number: int) -> None:
            await asyncio.sleep(random.random() * 0.02)
            async with context.transaction() as tx:
                await tx.execute(
                    "insert into public.chaos_lines (job, line, number) values ($1, $2, $3)",
                    context.id,
                    line,
                    number,
                )

    async def produce(self, producer: Producer) -> None:
        for _ in range(producer.rng.randint(1, 4)):
            self._number += 1
            line = producer.rng.randint(1, 5)
            key = f"line {line} after {self._doubts} doubts"
            payload = {"line": key, "number": self._number}
            # If the answer is lost, this job may commit after the next, which then goes to another line.
            self._doubts += 1
            if await producer.enqueue("in_line", [payload], options={"order_key": key}):
                self._doubts -= 1

    async def check(self, database: Fetcher) -> list[str]:
        return [f"out of order: {row['job']}" for row in await database.fetch(OVERTAKEN)]


WORKLOAD = OrderKeys()
