"""Runs: each that was sealed ends, and one job follows it."""

import asyncio
import random

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db.runs import seal_run, start_run
from holdfast.db.statement import Fetcher
from holdfast.model.id import RunId

FOLLOW = {"task": "followed", "queue": QUEUE}  # without a payload, it gets the run's id
UNENDED = "select id from holdfast.runs where sealed_at is not null and ended_at is null"
# Per run: in a sum, a run that was followed twice would hide one that never was.
FOLLOWED = """
select
  coalesce(r.id::text, j.run, 'of no name') as run,
  count(j.id) as jobs,
  bool_or(r.ended_at is not null) as is_ended
from (select * from holdfast.runs where on_complete is not null) as r
full join (
  select id, payload ->> 'run' as run from holdfast.job_view where task = 'followed'
) as j on j.run = r.id::text
group by 1
having count(j.id) <> count(distinct r.id) filter (where r.ended_at is not null)
"""


class Runs(Workload):
    name = "runs"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def member(ref: str) -> None:
            await asyncio.sleep(random.random() * 0.05)

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def followed(run: str) -> None:
            await asyncio.sleep(0)

    async def produce(self, producer: Producer) -> None:
        try:
            run = await start_run(producer.database, "chaos", {"on_complete": FOLLOW})
        except HoldfastError:
            return
        for _ in range(producer.rng.randint(1, 3)):
            await producer.enqueue("member", [{}] * producer.rng.randint(1, 10), options={"run": str(run)})
        await _seal(producer, run)

    async def check(self, database: Fetcher) -> list[str]:
        wrong = [f"the run {row['id']} is sealed and did not end" for row in await database.fetch(UNENDED)]
        return wrong + [
            f"the run {row['run']} {'has ended' if row['is_ended'] else 'has not ended'}"
            f" and was followed by {row['jobs']} jobs"
            for row in await database.fetch(FOLLOWED)
        ]


async def _seal(producer: Producer, run: RunId) -> None:
    """Retry until it succeeds: a run can be sealed twice."""
    while True:
        try:
            await seal_run(producer.database, run)
        except HoldfastError:
            await asyncio.sleep(0.3)
        else:
            return


WORKLOAD = Runs()
