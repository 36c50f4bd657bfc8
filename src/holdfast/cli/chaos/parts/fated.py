"""Jobs that are rejected, die, are cancelled and are replayed: one end a life, and letters that fit."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

from holdfast.cli.chaos.part import RETRY, Giver, Part, token_of
from holdfast.client.app import Holdfast
from holdfast.db.dead import replay_letters
from holdfast.db.jobs import cancel_jobs, replay_jobs
from holdfast.db.statement import Fetcher
from holdfast.model.error import HoldfastError
from holdfast.model.id import JobId
from holdfast.model.queue import CancelResult, ReplayResult
from holdfast.model.signal import Permanent, Reject
from holdfast.worker.context import JobContext

QUEUE = "chaos-fated"
FATES = ("reject", "poison", "fail", "cancel", "cancel")
FAILURES = 5  # until one that fails is dead; in its next life it has as many for what harm does to it
ENDS = """
select h.id as job, format('ended as %s in life %s, its fate was %s', h.state, h.generation, f.fate) as what
from holdfast.history as h
cross join lateral (select h.payload ->> 'fate') as f (fate)
where h.task = 'fated'
  and h.state <> all (case
    when f.fate = 'cancel' then array['cancelled', 'completed']
    when h.generation > 1 then array['completed']
    when f.fate = 'reject' then array['rejected']
    else array['dead']
  end)
union all
-- The trail keeps the ends of earlier lives, which history does not.
select h.id, format('%s ends in %s lives', count(e.id), h.generation)
from holdfast.history as h
left join holdfast.events as e on e.job_id = h.id and e.cause = 'end'
where h.task = 'fated'
group by h.id, h.generation
having count(e.id) <> h.generation
"""
LETTERS = """
select h.id as job, 'dead without its letter' as what
from holdfast.history as h
where h.task = 'fated'
  and h.state = 'dead'
  and not exists (
    select
    from holdfast.dead_letters as d
    where d.job_id = h.id
      and d.generation = h.generation
      and d.replayed_at is null
      and d.reason = case h.payload ->> 'fate' when 'poison' then 'permanent' else 'failed_too_often' end
  )
union all
select d.job_id, format('a letter of life %s; it ended as %s in life %s', d.generation, h.state, h.generation)
from holdfast.dead_letters as d
left join holdfast.history as h on h.id = d.job_id
where d.task = 'fated'
  and not coalesce(case
    when d.replayed_at is null then h.state = 'dead' and h.generation = d.generation
    else h.state = 'completed' and h.generation > d.generation and d.outcome = 'completed'
  end, false)
"""
EFFECTS = """
select e.job, format('an effect of life %s, which did not complete', e.generation) as what
from public.chaos_fates as e
left join holdfast.history as h on h.id = e.job
where h.id is null
  or e.generation > h.generation
  or e.generation = h.generation and h.state <> 'completed'
  or e.generation = 1 and h.payload ->> 'fate' <> 'cancel'
union all
select e.job, format('%s effects of life %s', count(*), e.generation)
from public.chaos_fates as e
group by e.job, e.generation
having count(*) > 1
union all
select h.id, format('completed in life %s without the effect of the attempt that won', h.generation)
from holdfast.history as h
where h.task = 'fated'
  and h.state = 'completed'
  and not exists (
    select
    from public.chaos_fates as e
    where e.job = h.id
      and e.generation = h.generation
      and e.token = h.token
  )
"""
BROKEN_WORD = """
select h.id as job, format('said to be cancelled, and ended as %s', h.state) as what
from holdfast.history as h
where h.id = any ($1::uuid[])
  and h.state <> 'cancelled'
union all
select h.id, 'said to be replayed, and it is in its first life'
from holdfast.history as h
where h.id = any ($2::uuid[])
  and h.generation = 1
"""


class Fated(Part):
    name = "fated"
    tables = """
    create table public.chaos_fates (job uuid not null, generation integer not null, token uuid not null)
    """
    mortal = ("fated",)

    def __init__(self) -> None:
        self._doomed: list[JobId] = []  # to be replayed when they have ended
        self._cancelled: list[JobId] = []
        self._replayed: list[JobId] = []

    def register(self, app: Holdfast) -> None:
        # No number of vanished workers makes one of them dead: each dies of its fate.
        app.queue(QUEUE, max_losses=1000, detail="full")

        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def fated(context: JobContext, ref: str, fate: str) -> None:
            await asyncio.sleep(random.random() * (1 if fate == "cancel" else 0.05))
            if context.generation == 1:
                _meet(fate)
            async with context.transaction() as tx:
                await tx.execute(
                    "insert into public.chaos_fates (job, generation, token) values ($1, $2, $3)",
                    context.id,
                    context.generation,
                    token_of(context),
                )
                await asyncio.sleep(random.random() * 0.05)

    async def produce(self, giver: Giver) -> None:
        luck = giver.luck
        fates = luck.choices(FATES, k=luck.randint(2, 5))
        each = [_options(luck, fate) for fate in fates]
        given = await giver.give("fated", [{"fate": fate} for fate in fates], each, options={"queue": QUEUE})
        asked = [one.job for one, fate in zip(given, fates, strict=False) if fate == "cancel"]
        self._doomed += [one.job for one in given if one.job not in asked and luck.random() < 0.5]
        await asyncio.sleep(luck.random())
        try:
            await self._cancel(giver, asked)
            await self._replay(giver)
        except HoldfastError:
            giver.ledger.disturbed += 1

    async def _cancel(self, giver: Giver, asked: Sequence[JobId]) -> None:
        """While they wait, are scheduled, ready or run, or too late."""
        told = await cancel_jobs(giver.database, asked, "as was its fate", "chaos")
        self._cancelled += [one.id for one in told if one.result is CancelResult.CANCELLED]

    async def _replay(self, giver: Giver) -> None:
        """One by one, or the oldest letters whoever they are of. Those that live are asked for again."""
        if giver.luck.random() < 0.3:
            found = await replay_letters(giver.database, {"queue": QUEUE}, None, 2, "chaos", "chaos")
            results = found.results
        else:
            told = await replay_jobs(giver.database, self._doomed[:5], "chaos", "chaos")
            results = {one.id: one.result for one in told}
        self._replayed += [job for job, result in results.items() if result is ReplayResult.REPLAYED]
        self._doomed = [job for job in self._doomed if results.get(job) in (None, ReplayResult.LIVE)]

    async def check(self, database: Fetcher) -> list[str]:
        found = [row for query in (ENDS, LETTERS, EFFECTS) for row in await database.fetch(query)]
        found += await database.fetch(BROKEN_WORD, self._cancelled, self._replayed)
        return [f"{row['job']}: {row['what']}" for row in found]


def _meet(fate: str) -> None:
    if fate == "reject":
        raise Reject("as was its fate")
    if fate == "poison":
        raise Permanent("as was its fate")
    if fate == "fail":
        raise RuntimeError("as was its fate")


def _options(luck: random.Random, fate: str) -> dict[str, Any]:
    if fate == "fail":
        return {"max_failures": FAILURES}
    if fate == "cancel":
        return luck.choice(({}, {}, {"delay": 0.2 + luck.random()}, {"order_key": "fated"}))
    return {}


PART = Fated()
