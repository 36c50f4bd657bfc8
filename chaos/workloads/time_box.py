"""Workers with a time box of 1.5 s: what they do not finish continues in another worker, step by step."""

import asyncio

from chaos.workload import RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError, JobContext, Yield
from holdfast.db.statement import Fetcher

QUEUE = "chaos-boxed"  # of its own: these workers have no other task
STEPS = 5
WRONG = "select id, output::text as output from holdfast.history where task = 'boxed' and output::text <> '5'"
MISCOUNTED = """
select h.id, h.failures
from holdfast.history as h
where h.task = 'boxed'
  and h.failures > 0
  and not exists (select from holdfast.attempts as a where a.job_id = h.id and a.counted)
"""


class TimeBox(Workload):
    name = "time_box"

    def register(self, app: Holdfast) -> None:
        app.queue(QUEUE, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def boxed(context: JobContext, ref: str) -> int:
            total = 0
            for number in range(STEPS):
                if context.should_yield.is_set():
                    raise Yield
                total += await context.step(f"step {number}", _moment)
            return total

    async def produce(self, producer: Producer) -> None:
        """Enqueue jobs, and run a worker for a moment."""
        await producer.enqueue("boxed", [{}] * producer.rng.randint(1, 3), options={"queue": QUEUE})
        app = Holdfast(producer.database.address.url, name="chaos")
        self.register(app)
        try:
            async with app:
                await app.work(time_box="1.5s", queues=[QUEUE], slots=2, lease="2s", sweep="1s")
        except HoldfastError:
            producer.ledger.disturbed += 1

    async def check(self, database: Fetcher) -> list[str]:
        wrong = [f"{row['id']} has the output {row['output']}" for row in await database.fetch(WRONG)]
        return wrong + [f"{row['id']} was charged for a yield" for row in await database.fetch(MISCOUNTED)]


async def _moment() -> int:
    await asyncio.sleep(0.1)
    return 1


WORKLOAD = TimeBox()
