"""The transaction of a job: marked when it begins, so that the completion can check that it is the same.

The mark is a setting of the session. SET takes no snapshot, so that a handler may still choose its isolation
level; a query for the transaction's id would take one, and the id itself would hold back vacuum.
"""

from enum import StrEnum

from holdfast.db.database_errors import translated
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.id import JobId, Token
from holdfast.model.payload import JsonText

# SET lasts beyond a commit, SET LOCAL until the end of the transaction. After a rollback the setting is what
# it was before: empty, because the completion empties it and a pool resets it.
MARK = "set holdfast.transaction = 'committed {0}'; set local holdfast.transaction = 'open {0}'"
READ = "select current_setting('holdfast.transaction', true)"
COMPLETE = """
with found as materialized (
  select coalesce(current_setting('holdfast.transaction', true), '') as mark
)
select
  mark,
  case when mark = 'open ' || $2::uuid
    then holdfast.complete_in_transaction(
      $1::uuid, $2::uuid, $3::json, $4::double precision, $5::jsonb, $6::text)
  end,
  case when mark = 'open ' || $2::uuid then set_config('holdfast.transaction', '', false) end
from found
"""


class Mark(StrEnum):
    """The state of the marked transaction, by the session's setting."""

    OPEN = "open"
    COMMITTED = "committed"
    GONE = "gone"  # rolled back; or, behind a pooler, in another server process


async def mark(on: Executor, token: Token) -> None:
    """In the first statement of the transaction."""
    with translated():
        await on.execute(MARK.format(token))


async def rollback(on: Executor) -> None:
    """Of a transaction that an error has aborted, on a connection whose pool does not know of it."""
    await on.execute("rollback")


async def read_mark(on: Executor, token: Token) -> Mark:
    return _mark(await fetch_value(on, READ), token)


async def complete_in_transaction(
    on: Executor,
    job: JobId,
    token: Token,
    output: JsonText | None,
    units: float | None = None,
    progress: JsonText | None = None,
    trace: str | None = None,
) -> Mark:
    """Completes a job in the caller's transaction; raises LeaseLost if another worker has it.

    Does nothing if the transaction is no longer the marked one. `trace`: traceparent of the attempt's span.
    """
    return _mark(await fetch_value(on, COMPLETE, job, token, output, units, progress, trace), token)


def _mark(found: str | None, token: Token) -> Mark:
    word, _, whose = (found or "").partition(" ")
    return Mark(word) if whose == str(token) else Mark.GONE
