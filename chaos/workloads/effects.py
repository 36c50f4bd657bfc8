"""Jobs that write in their own transaction: one effect per completed job, by the attempt that completed."""

import asyncio
import random

from chaos.workload import QUEUE, RETRY, Producer, Workload, token_of
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

WRONG = """
select 'effect of a job that did not complete' as what, e.job
from public.chaos_effects as e
left join holdfast.history as h on h.id = e.job and h.state = 'completed'
where h.id is null
union all
select 'two effects', e.job
from public.chaos_effects as e
group by e.job
having count(*) > 1
union all
select 'completed without its effect', h.id
from holdfast.history as h
where h.task = 'effect'
  and h.state = 'completed'
  and not exists (select from public.chaos_effects as e where e.job = h.id)
union all
select 'effect of an attempt that lost', e.job
from public.chaos_effects as e
join holdfast.history as h on h.id = e.job
where h.token is distinct from e.token
"""


class Effects(Workload):
    name = "effects"
    tables = "create table public.chaos_effects (job uuid not null, token uuid not null)"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def effect(context: JobContext, ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)
            async with context.transaction() as tx:
                await tx.execute(
                    "insert into public.chaos_effects (job, token) values ($1, $2)",
                    context.id,
                    token_of(context),
                )
                await asyncio.sleep(random.random() * 0.05)
                tx.output = ref

    async def produce(self, producer: Producer) -> None:
        await producer.enqueue("effect", [{}] * producer.rng.randint(1, 8))

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['what']}: {row['job']}" for row in await database.fetch(WRONG)]


WORKLOAD = Effects()
