"""Jobs that are rejected, dead, cancelled and replayed: one end per generation, and the right letters."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

from chaos.workload import RETRY, Producer, Workload, token_of
from holdfast import Holdfast, HoldfastError, JobContext, Permanent, Reject
from holdfast.db.dead import replay_letters
from holdfast.db.jobs import cancel_jobs, replay_jobs
from holdfast.db.statement import Fetcher
from holdfast.model.id import JobId
from holdfast.model.queue import CancelResult, ReplayResult

QUEUE = "chaos-outcomes"
OUTCOMES = ("reject", "permanent", "fail", "cancel", "cancel")
FAILURES = 5  # until a job that fails is dead; after its replay the faults may cost it as many
ENDS = """
select
  h.id as job,
  format('ended as %s in generation %s, planned was %s', h.state, h.generation, f.planned) as what
from holdfast.history as h
cross join lateral (select h.payload ->> 'planned') as f (planned)
where h.task = 'outcome'
  and h.state <> all (case
    when f.planned = 'cancel' then array['cancelled', 'completed']
    when h.generation > 1 then array['completed']
    when f.planned = 'reject' then array['rejected']
    else array['dead']
  end)
union all
-- The events keep the ends of earlier generations, which history does not.
select h.id, format('%s ends in %s generations', count(e.id), h.generation)
from holdfast.history as h
left join holdfast.events as e on e.job_id = h.id and e.cause = 'end'
where h.task = 'outcome'
group by h.id, h.generation
having count(e.id) <> h.generation
"""
LETTERS = """
select h.id as job, 'dead without its letter' as what
from holdfast.history as h
where h.task = 'outcome'
  and h.state = 'dead'
  and not exists (
    select
    from holdfast.dead_letters as d
    where d.job_id = h.id
      and d.generation = h.generation
      and d.replayed_at is null
      and d.reason = case
        when h.payload ->> 'planned' = 'permanent' then 'permanent'
        else 'failed_too_often'
      end
  )
union all
select
  d.job_id,
  format('a letter of generation %s; it ended as %s in generation %s', d.generation, h.state, h.generation)
from holdfast.dead_letters as d
left join holdfast.history as h on h.id = d.job_id
where d.task = 'outcome'
  and not coalesce(case
    when d.replayed_at is null then h.state = 'dead' and h.generation = d.generation
    else h.state = 'completed' and h.generation > d.generation and d.outcome = 'completed'
  end, false)
"""
EFFECTS = """
select e.job, format('an effect of generation %s, which did not complete', e.generation) as what
from public.chaos_outcomes as e
left join holdfast.history as h on h.id = e.job
where h.id is null
  or e.generation > h.generation
  or e.generation = h.generation and h.state <> 'completed'
  or e.generation = 1 and h.payload ->> 'planned' <> 'cancel'
union all
select e.job, format('%s effects of generation %s', count(*), e.generation)
from public.chaos_outcomes as e
group by e.job, e.generation
having count(*) > 1
union all
select h.id, format('completed in generation %s without the effect of the attempt that won', h.generation)
from holdfast.history as h
where h.task = 'outcome'
  and h.state = 'completed'
  and not exists (
    select
    from public.chaos_outcomes as e
    where e.job = h.id
      and e.generation = h.generation
      and e.token = h.token
  )
"""
WRONG_ANSWERS = """
select h.id as job, format('reported as cancelled, and ended as %s', h.state) as what
from holdfast.history as h
where h.id = any ($1::uuid[])
  and h.state <> 'cancelled'
union all
select h.id, 'reported as replayed, and it is in its first generation'
from holdfast.history as h
where h.id = any ($2::uuid[])
  and h.generation = 1
"""


class Outcomes(Workload):
    name = "outcomes"
    tables = """
    create table public.chaos_outcomes (job uuid not null, generation integer not null, token uuid not null)
    """
    may_die = ("outcome",)

    def __init__(self) -> None:
        self._to_replay: list[JobId] = []  # to be replayed when they have ended
        self._cancelled: list[JobId] = []
        self._replayed: list[JobId] = []

    def register(self, app: Holdfast) -> None:
        # No number of lost workers makes one of them dead: each ends as planned.
        app.queue(QUEUE, max_losses=1000, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def outcome(context: JobContext, ref: str, planned: str) -> None:
            await asyncio.sleep(random.random() * (1 if planned == "cancel" else 0.05))
            if context.generation == 1:
                _end_as(planned)
            async with context.transaction() as tx:
                await tx.execute(
                    "insert into public.chaos_outcomes (job, generation, token) values ($1, $2, $3)",
                    context.id,
                    context.generation,
                    token_of(context),
                )
                await asyncio.sleep(random.random() * 0.05)

    async def produce(self, producer: Producer) -> None:
        rng = producer.rng
        plan = rng.choices(OUTCOMES, k=rng.randint(2, 5))
        payloads, each = [{"planned": one} for one in plan], [_options(rng, one) for one in plan]
        enqueued = await producer.enqueue("outcome", payloads, each, options={"queue": QUEUE})
        to_cancel = [one.job for one, planned in zip(enqueued, plan, strict=False) if planned == "cancel"]
        self._to_replay += [one.job for one in enqueued if one.job not in to_cancel and rng.random() < 0.5]
        await asyncio.sleep(rng.random())
        try:
            await self._cancel(producer, to_cancel)
            await self._replay(producer)
        except HoldfastError:
            producer.ledger.disturbed += 1

    async def _cancel(self, producer: Producer, jobs: Sequence[JobId]) -> None:
        """While they are scheduled, ready, running or ended."""
        answers = await cancel_jobs(producer.database, jobs, "as planned", "chaos")
        self._cancelled += [job for job, result in answers.items() if result is CancelResult.CANCELLED]

    async def _replay(self, producer: Producer) -> None:
        """Single jobs, or the oldest letters of the queue. Jobs that have not ended are tried again later."""
        if producer.rng.random() < 0.3:
            found = await replay_letters(producer.database, {"queue": QUEUE}, None, 2, "chaos", "chaos")
            results = found.results
        else:
            results = await replay_jobs(producer.database, self._to_replay[:5], "chaos", "chaos")
        self._replayed += [job for job, result in results.items() if result is ReplayResult.REPLAYED]
        self._to_replay = [job for job in self._to_replay if results.get(job) in (None, ReplayResult.LIVE)]

    async def check(self, database: Fetcher) -> list[str]:
        found = [row for query in (ENDS, LETTERS, EFFECTS) for row in await database.fetch(query)]
        found += await database.fetch(WRONG_ANSWERS, self._cancelled, self._replayed)
        return [f"{row['job']}: {row['what']}" for row in found]


def _end_as(planned: str) -> None:
    if planned == "reject":
        raise Reject("as planned")
    if planned == "permanent":
        raise Permanent("as planned")
    if planned == "fail":
        raise RuntimeError("as planned")


def _options(rng: random.Random, planned: str) -> dict[str, Any]:
    if planned == "fail":
        return {"max_failures": FAILURES}
    if planned == "cancel":
        return rng.choice(({}, {}, {"delay": 0.2 + rng.random()}, {"order_key": "outcome"}))
    return {}


WORKLOAD = Outcomes()
