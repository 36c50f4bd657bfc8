"""The block in which a handler's writes and its job's completion are one transaction."""

from typing import Any

from asyncpg import Record

from holdfast.db.connect import Connection
from holdfast.db.transaction import Mark, complete_in_transaction, read_mark, rollback
from holdfast.model.error import DatabaseError, TransactionEnded
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText
from holdfast.telemetry.tracer import attempt_traceparent

_ABORTED = "25P02"  # an error in it was caught: the server accepts only a rollback


class JobTransaction:
    """Statements on the transaction's connection; `output` becomes the job's output."""

    __slots__ = ("connection", "output")

    def __init__(self, connection: Connection, output: Any) -> None:
        self.connection = connection
        self.output = output

    async def execute(self, query: str, /, *args: Any) -> str:
        return await self.connection.execute(query, *args)

    async def executemany(self, query: str, /, args: Any) -> None:
        await self.connection.executemany(query, args)

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        return await self.connection.fetch(query, *args)

    async def fetchrow(self, query: str, /, *args: Any) -> Record | None:
        return await self.connection.fetchrow(query, *args)

    async def fetchval(self, query: str, /, *args: Any) -> Any:
        return await self.connection.fetchval(query, *args)


async def complete(
    on: Connection,
    job: ClaimedJob,
    output: JsonText | None,
    units: float | None,
    progress: JsonText | None,
    *,
    pooled: bool,
) -> None:
    """Raises TransactionEnded if the handler ended the transaction."""
    is_open = on.is_in_transaction()
    try:
        trace = attempt_traceparent.get()
        mark = await complete_in_transaction(on, job.id, job.token, output, units, progress, trace)
    except DatabaseError as exc:
        if exc.sqlstate != _ABORTED:
            raise
        await rollback(on)
        mark = await read_mark(on, job.token)
        if mark is not Mark.COMMITTED:
            raise
    if mark is not Mark.OPEN:
        before = _before(mark, pooled)
        after = "open statements are undone" if is_open else "each later statement was committed on its own"
        raise TransactionEnded(
            f"The handler of the job {job.id} committed or rolled back its transaction itself: {before};"
            f" {after}. The job is not completed."
        )


def _before(mark: Mark, pooled: bool) -> str:
    if mark is Mark.COMMITTED:
        return "its writes up to its commit are committed"
    if pooled:  # the next transaction may be in another server process, without the mark
        return "its writes up to then are committed if it committed, and undone if it rolled back"
    return "its writes up to its rollback are undone"
