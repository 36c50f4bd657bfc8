"""The worker that is replaced. For the roll-out its claim gets one condition: not what was handed over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from holdfast.db.connect import Database

CLAIM = """
update chat_messages set status = 'processing', claimed_by = 'old'
where id = (
  select m.id
  from chat_messages as m
  where m.status = 'pending'
    and not exists (select from handed_over as h where h.message = m.id) -- new
  order by m.priority, m.id
  limit 1
  for update skip locked
)
returning id
"""
REPLY = """
with reply as (insert into chat_replies (message, worker) values ($1, 'old'))
update chat_messages set status = 'complete' where id = $1
"""
POLL = 0.02


@asynccontextmanager
async def old_worker(database: Database) -> AsyncIterator[None]:
    """Works inside the block, and finishes its message at the end of it."""
    stopped = asyncio.Event()
    working = asyncio.create_task(_work(database, stopped))
    try:
        yield
    finally:
        stopped.set()
        await working


async def _work(database: Database, stopped: asyncio.Event) -> None:
    while not stopped.is_set():
        claimed = await database.fetch(CLAIM)
        for row in claimed:
            await database.execute(REPLY, row["id"])
        if not claimed:
            await asyncio.sleep(POLL)
