"""A producer in plain SQL: a job that it enqueues in a transaction exists if and only if that commits."""

import asyncio
import json
from uuid import uuid4

from chaos.enqueue_ledger import read_answer
from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db.database_errors import BROKEN
from holdfast.db.statement import Fetcher, fetch_value, run
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


class _RollBack(Exception):
    """Makes the transaction roll back."""


class Outbox(Workload):
    name = "outbox"
    tables = "create table public.chaos_outbox (ref text primary key)"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def booked(ref: str) -> str:
            await asyncio.sleep(0)
            return ref

    async def produce(self, producer: Producer) -> None:
        """Half of the transactions roll back. The answer to the commit goes into the ledger."""
        ref, is_kept = str(uuid4()), producer.rng.random() < 0.5
        payload = JsonText(json.dumps({"ref": ref}))
        producer.ledger.withdraw(ref)  # until its commit is sent
        try:
            async with producer.database.transaction() as connection:
                await run(connection, "insert into public.chaos_outbox values ($1)", ref)
                job = JobId(await fetch_value(connection, ENQUEUE, payload, QUEUE))
                if not is_kept:
                    raise _RollBack
                producer.ledger.offer([ref])
        except _RollBack:
            return
        except HoldfastError as exc:
            producer.ledger.fail([ref], read_answer(exc))
        except BROKEN:
            producer.ledger.disturbed += 1
        else:
            producer.ledger.accept(ref, job, payload)

    async def check(self, database: Fetcher) -> list[str]:
        return [f"{row['what']}: {row['ref']}" for row in await database.fetch(WRONG)]


WORKLOAD = Outbox()
