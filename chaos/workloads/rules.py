"""Rules that change while jobs are enqueued: each job stands where a rule of its moment sent it."""

import asyncio
import random
from typing import Any

from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db import rules
from holdfast.db.statement import Fetcher
from holdfast.model.rule import RuleOwner

ROUTED = "chaos-routed"
# What the rule says, by the priority that it then gives; its event keeps that as its reason.
TURNS: dict[int, dict[str, Any]] = {50: {"enabled": False}, 60: {"points": 10}, 70: {"points": 20}}
RULE = {"condition": "$.payload.n > 5", "queue": ROUTED, "enabled": True}
# An enqueue may wait for a minute with the rules that it read.
WRONG = """
with turn as (
  select e.at, lead(e.at) over (order by e.id) as until, e.reason::integer as priority
  from holdfast.events as e
  where e.cause = 'set_rule' and e.detail ->> 'rule' = 'switch of task ruled'
  union all
  select '-infinity', min(e.at), 50
  from holdfast.events as e
  where e.cause = 'set_rule' and e.detail ->> 'rule' = 'switch of task ruled'
), job as (
  select id, queue, priority, payload from holdfast.jobs where task = 'ruled'
  union all
  select id, queue, priority, payload from holdfast.history where task = 'ruled'
)
select j.id, j.queue, j.priority
from job as j
where (j.priority = 50) <> (j.queue = 'chaos')
  or (j.payload ->> 'n')::integer <= 5 and j.priority <> 50
  or (j.payload ->> 'n')::integer > 5 and not exists (
    select from turn as t
    where t.priority = j.priority
      and t.at < holdfast.created_at(j.id) + interval '1 minute'
      and coalesce(t.until, 'infinity') > holdfast.created_at(j.id) - interval '1 minute'
  )
"""


class Rules(Workload):
    name = "rules"

    def register(self, app: Holdfast) -> None:
        app.queue(ROUTED, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def ruled(n: int, ref: str) -> int:
            await asyncio.sleep(random.random() * 0.05)
            return n

    async def produce(self, producer: Producer) -> None:
        """The rule changes beside an enqueue that names no queue of its own."""
        jobs = [{"n": producer.rng.randint(1, 9)} for _ in range(producer.rng.randint(1, 4))]
        options = {"queue": None, "default_queue": QUEUE}
        await asyncio.gather(_turn(producer), producer.enqueue("ruled", jobs, options=options))

    async def check(self, database: Fetcher) -> list[str]:
        return [
            f"the job {row['id']} has priority {row['priority']} in {row['queue']}, which no rule gave it"
            for row in await database.fetch(WRONG)
        ]


async def _turn(producer: Producer) -> None:
    priority, change = producer.rng.choice([*TURNS.items()])
    policy = {**RULE, "points": 0, **change}
    try:
        await rules.set_rule(
            producer.database, RuleOwner.TASK, "ruled", "switch", policy, str(priority), "chaos"
        )
    except HoldfastError:
        return  # the next round changes it again


WORKLOAD = Rules()
