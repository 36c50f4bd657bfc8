"""Jobs that wait for their children: each parent gets the outputs of all its children, made once."""

import asyncio
import random

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

CHILDREN = 3
WRONG = """
select h.id, h.output::text as output, count(c.id) as children
from holdfast.history as h
left join holdfast.history as c on c.parent_id = h.id
where h.task = 'parent'
  and h.state = 'completed'
group by h.id, h.output::text
having count(c.id) <> 3 or h.output::text <> '3'
"""


class Children(Workload):
    name = "children"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="60s")
        async def parent(context: JobContext, ref: str) -> int:
            found = await context.spawn("child", [{"n": n} for n in range(CHILDREN)], queue=QUEUE)
            return sum(found)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def child(n: int) -> int:
            await asyncio.sleep(random.random() * 0.05)
            return n

    async def produce(self, producer: Producer) -> None:
        await producer.enqueue("parent", [{}] * producer.rng.randint(1, 2))

    async def check(self, database: Fetcher) -> list[str]:
        return [
            f"parent {row['id']} has {row['children']} children and the output {row['output']}"
            for row in await database.fetch(WRONG)
        ]


WORKLOAD = Children()
