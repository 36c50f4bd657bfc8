"""Finds the full ids of jobs, runs and workers by their last twelve characters."""

from uuid import UUID

from holdfast.db.connect import Database
from holdfast.db.statement import Executor, fetch, run

# Scans the view: only people type the end of an id.
IDS_ENDING_IN = "select id from holdfast.{0}_view where right(id::text, 12) = $1 limit 2"
SHORTENED = ("job", "run", "worker")
BRIEFLY = "set local statement_timeout = '2s'"


async def ids_ending_in(on: Executor, what: str, ending: str) -> list[UUID]:
    """Up to two, which tells whether there is more than one."""
    if what not in SHORTENED:
        return []
    return [row["id"] for row in await fetch(on, IDS_ENDING_IN.format(what), ending)]


async def job_ids_ending_in(database: Database, ending: str) -> list[UUID]:
    """The same for jobs on a server, which the scan must not keep busy: raises Timeout after two seconds."""
    async with database.transaction() as conn:
        await run(conn, BRIEFLY)
        return await ids_ending_in(conn, "job", ending)
