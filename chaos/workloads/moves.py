"""Jobs that are moved between two queues while they wait: each ends once, where it was last moved to."""

import asyncio
import random

from chaos.workload import RETRY, Producer, Workload, token_of
from holdfast import Holdfast, HoldfastError, JobContext
from holdfast.db.moves import move_jobs, rebalance_queues, set_rebalance
from holdfast.db.statement import Fetcher

QUEUES = ("chaos-moves-a", "chaos-moves-b")
WRONG = """
with last_move as (
  select distinct on (e.job_id) e.job_id, e.detail ->> 'to_queue' as queue
  from holdfast.events as e
  where e.cause = 'move'
  order by e.job_id, e.id desc
)
select
  format('ended in %s, and was last in %s', h.queue, coalesce(m.queue, h.payload ->> 'queue')) as what,
  h.id
from holdfast.history as h
left join last_move as m on m.job_id = h.id
where h.task = 'moved'
  and h.queue <> coalesce(m.queue, h.payload ->> 'queue')
union all
select format('completed with %s effects, %s of them by the attempt that won', count(e.job),
  count(e.job) filter (where e.token = h.token)), h.id
from holdfast.history as h
left join public.chaos_moves as e on e.job = h.id
where h.task = 'moved'
  and h.state = 'completed'
group by h.id
having count(e.job) <> 1 or count(e.job) filter (where e.token = h.token) <> 1
union all
select format('%s moves of jobs are recorded, and %s were counted', moves.jobs, calls.jobs), null
from (select count(*) as jobs from holdfast.events as e where e.cause = 'move') as moves
cross join (
  select coalesce(sum((e.detail ->> 'ready')::bigint + (e.detail ->> 'scheduled')::bigint), 0) as jobs
  from holdfast.events as e
  where e.cause in ('move_jobs', 'rebalance')
) as calls
where moves.jobs <> calls.jobs
"""


class Moves(Workload):
    name = "moves"
    tables = "create table public.chaos_moves (job uuid not null, token uuid not null)"

    def register(self, app: Holdfast) -> None:
        for queue in QUEUES:
            app.queue(queue, detail="full")

        @app.task(queue=QUEUES[0], retry=RETRY, timeout="30s")
        async def moved(context: JobContext, ref: str, queue: str) -> None:
            await asyncio.sleep(random.random() * 0.05)
            async with context.transaction() as tx:
                await tx.execute(
                    "insert into public.chaos_moves (job, token) values ($1, $2)",
                    context.id,
                    token_of(context),
                )

    async def produce(self, producer: Producer) -> None:
        """The deeper queue is the first, so that rebalancing finds something to do now and then."""
        rng = producer.rng
        source, to = rng.sample(QUEUES, 2)
        queue = rng.choice((QUEUES[0], QUEUES[0], QUEUES[1]))
        count = rng.randint(1, 12)
        each = [{"delay": rng.random()} if rng.random() < 0.3 else {} for _ in range(count)]
        await producer.enqueue("moved", [{"queue": queue}] * count, each, options={"queue": queue})
        try:
            await move_jobs(producer.database, source, to, rng.randint(1, 20), "chaos", "chaos")
            await set_rebalance(producer.database, *QUEUES, {"ratio": 1.5, "least_depth": 1}, None, "chaos")
            await rebalance_queues(producer.database, actor="chaos")
        except HoldfastError:
            await asyncio.sleep(0.1)  # the fault is injected on purpose; what was moved is checked at the end

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['what']}: {row['id']}" for row in await database.fetch(WRONG)]


WORKLOAD = Moves()
