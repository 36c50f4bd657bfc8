"""Jobs as long as a lease and longer: a worker that was stopped finds its job running elsewhere."""

import asyncio

from chaos.workload import RETRY, Producer, Workload, token_of
from holdfast import Holdfast, JobContext
from holdfast.db.statement import Fetcher

QUEUE = "chaos-slow"
# One half leaves its token as the output, the other as an effect; the row says which token counts.
WRONG = """
select h.id as job, format('completed with the output %s', h.output) as what
from holdfast.history as h
where h.task = 'slow'
  and h.state = 'completed'
  and h.payload ->> 'way' = 'output'
  and h.output ->> 0 is distinct from h.token::text
union all
select h.id, format('%s with %s effects, %s of them by the attempt that won', h.state, e.made, e.won)
from holdfast.history as h
cross join lateral (
  select count(*) as made, count(*) filter (where s.token = h.token) as won
  from public.chaos_slow as s
  where s.job = h.id
) as e
where h.task = 'slow'
  and (e.made <> e.won or e.won <> (h.state = 'completed' and h.payload ->> 'way' = 'effect')::integer)
"""


class LongJobs(Workload):
    name = "long_jobs"
    tables = "create table public.chaos_slow (job uuid not null, token uuid not null)"

    def register(self, app: Holdfast) -> None:
        # They lose many workers, and must complete all the same.
        app.queue(QUEUE, max_losses=1000, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def slow(context: JobContext, ref: str, seconds: float, way: str) -> list[str]:
            await asyncio.sleep(seconds)
            if way == "effect":
                async with context.transaction() as tx:
                    await tx.execute(
                        "insert into public.chaos_slow values ($1, $2)", context.id, token_of(context)
                    )
            return [str(token_of(context))]

    async def produce(self, producer: Producer) -> None:
        rng = producer.rng
        payloads = [
            {"seconds": round(1 + 3 * rng.random(), 3), "way": rng.choice(("output", "effect"))}
            for _ in range(rng.randint(1, 4))
        ]
        await producer.enqueue("slow", payloads, options={"queue": QUEUE})

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['job']}: {row['what']}" for row in await database.fetch(WRONG)]


WORKLOAD = LongJobs()
