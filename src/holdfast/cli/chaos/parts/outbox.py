"""A producer that speaks SQL: a job enqueued in its transaction exists if and only if that commits."""

import asyncio
import json
from uuid import uuid4

from holdfast.cli.chaos.ledger import read_answer
from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.errors import BROKEN
from holdfast.db.statement import Fetcher, fetch_value, run
from holdfast.model.error import HoldfastError
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText

ENQUEUE = "select holdfast.enqueue('booked', $1::text::json, queue => $2)"
WRONG = """
select
  coalesce(o.ref, j.ref) as ref,
  case when j.id is null then 'row without its job' else 'job without its row' end as what
from public.chaos_outbox as o
full join (
  select id, payload ->> 'ref' as ref from holdfast.job_view where task = 'booked'
) as j on j.ref = o.ref
where o.ref is null
  or j.id is null
"""


class _TakenBack(Exception):
    """Makes the transaction roll back."""


class Outbox(Part):
    name = "outbox"
    tables = "create table public.chaos_outbox (ref text primary key)"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def booked(ref: str) -> str:
            await asyncio.sleep(0)
            return ref

    async def produce(self, giver: Giver) -> None:
        """Half of them are taken back. What the answer to the commit says goes into the ledger."""
        ref, is_kept = str(uuid4()), giver.luck.random() < 0.5
        payload = JsonText(json.dumps({"ref": ref}))
        giver.ledger.withdraw(ref)  # until its commit is sent
        try:
            async with giver.database.transaction() as connection:
                await run(connection, "insert into public.chaos_outbox values ($1)", ref)
                job = JobId(await fetch_value(connection, ENQUEUE, payload, QUEUE))
                if not is_kept:
                    raise _TakenBack
                giver.ledger.offer([ref])
        except _TakenBack:
            return
        except HoldfastError as exc:
            giver.ledger.fail([ref], read_answer(exc))
        except BROKEN:
            giver.ledger.disturbed += 1
        else:
            giver.ledger.accept(ref, job, payload)

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['what']}: {row['ref']}" for row in await database.fetch(WRONG)]


PART = Outbox()
