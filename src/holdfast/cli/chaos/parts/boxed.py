"""Workers that live for a second and a half: what they do not finish goes on elsewhere, from where it was."""

import asyncio

from holdfast.cli.chaos.part import RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.statement import Fetcher
from holdfast.model.error import HoldfastError
from holdfast.model.signal import Yield
from holdfast.worker.context import JobContext

QUEUE = "chaos-boxed"  # of its own: the short workers know no other task
STEPS = 5
WRONG = "select id, output::text as output from holdfast.history where task = 'boxed' and output::text <> '5'"
MISCOUNTED = """
select h.id, h.failures
from holdfast.history as h
where h.task = 'boxed'
  and h.failures > 0
  and not exists (select from holdfast.attempts as a where a.job_id = h.id and a.counted)
"""


class Boxed(Part):
    name = "boxed"

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

    async def produce(self, giver: Giver) -> None:
        """Gives work, and is for a while one of those who do it."""
        await giver.give("boxed", [{}] * giver.luck.randint(1, 3), options={"queue": QUEUE})
        app = Holdfast(giver.database.address.url, name="chaos")
        self.register(app)
        try:
            async with app:
                await app.work(time_box="1.5s", queues=[QUEUE], slots=2, lease="2s", sweep="1s")
        except HoldfastError:
            giver.ledger.disturbed += 1

    async def check(self, database: Fetcher) -> list[str]:
        wrong = [f"{row['id']} has the output {row['output']}" for row in await database.fetch(WRONG)]
        return wrong + [f"{row['id']} was charged for a yield" for row in await database.fetch(MISCOUNTED)]


async def _moment() -> int:
    await asyncio.sleep(0.1)
    return 1


PART = Boxed()
