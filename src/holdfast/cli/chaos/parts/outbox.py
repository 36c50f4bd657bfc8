"""A producer that speaks SQL: a job enqueued in its transaction exists if and only if that commits."""

import asyncio
import json
from uuid import uuid4

from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.errors import BROKEN
from holdfast.model.error import HoldfastError

ENQUEUE = "select holdfast.enqueue('booked', $1::text::json, queue => $2)"
WRONG = """
select
  coalesce(o.note, j.note) as note,
  case when j.id is null then 'row without its job' else 'job without its row' end as what
from public.chaos_outbox as o
full join (
  select id, payload ->> 'note' as note from holdfast.job_view where task = 'booked'
) as j on j.note = o.note
where o.note is null
  or j.id is null
"""


class _TakenBack(Exception):
    """Makes the transaction roll back."""


class Outbox(Part):
    name = "outbox"
    tables = "create table public.chaos_outbox (note text primary key)"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def booked(note: str) -> str:
            await asyncio.sleep(0)
            return note

    async def produce(self, giver: Giver) -> None:
        """Half of them are taken back. Whether one was committed the table knows best."""
        note, is_kept = str(uuid4()), giver.luck.random() < 0.5
        try:
            async with giver.database.transaction() as connection:
                await connection.execute("insert into public.chaos_outbox values ($1)", note)
                await connection.execute(ENQUEUE, json.dumps({"note": note}), QUEUE)
                if not is_kept:
                    raise _TakenBack
        except _TakenBack:
            return
        except (HoldfastError, *BROKEN):
            giver.ledger.disturbed += 1

    async def check(self, database: Database) -> list[str]:
        return [f"{row['what']}: {row['note']}" for row in await database.fetch(WRONG)]


PART = Outbox()
