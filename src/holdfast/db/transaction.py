"""The transaction of a job: marked when it begins, so that its completion sees whether it is still the same.

The mark is a setting of the session. SET takes no snapshot, so that a handler may still choose its isolation
level; a query for the transaction's id would take one, and the id itself would hold back vacuum.
"""

from enum import StrEnum

from holdfast.db.errors import translated
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.id import JobId, Token
from holdfast.model.payload import JsonText

# What is SET lasts if the transaction commits, what is SET LOCAL as long as it is open. After a rollback the
# setting is what it was before: empty, since the completion empties it and a pool resets it.
MARK = "set holdfast.transaction = 'committed {0}'; set local holdfast.transaction = 'open {0}'"
READ = "select current_setting('holdfast.transaction', true)"
COMPLETE = """
with found as materialized (
  select coalesce(current_setting('holdfast.transaction', true), '') as mark
)
select
  mark,
  case when mark = 'open ' || $2::uuid
    then holdfast.complete_in_transaction($1::uuid, $2::uuid, $3::json, $4::double precision)
  end,
  case when mark = 'open ' || $2::uuid then set_config('holdfast.transaction', '', false) end
from found
"""


class Mark(StrEnum):
    """What the session's setting says of the transaction that was marked."""

    OPEN = "open"
    COMMITTED = "committed"
    GONE = "gone"  # rolled back; or, behind a pooler, on a server process that this one is not


async def mark(on: Executor, token: Token) -> None:
    """In the first statement of the transaction."""
    with translated():
        await on.execute(MARK.format(token))


async def read_mark(on: Executor, token: Token) -> Mark:
    return _mark(await fetch_value(on, READ), token)


async def complete_in_transaction(
    on: Executor, job: JobId, token: Token, output: JsonText | None, units: float | None = None
) -> Mark:
    """Complete a job in the caller's transaction; raises LeaseLost if it was taken away.

    Nothing is done if the transaction is no longer the one that was marked.
    """
    return _mark(await fetch_value(on, COMPLETE, job, token, output, units), token)


def _mark(found: str | None, token: Token) -> Mark:
    word, _, whose = (found or "").partition(" ")
    return Mark(word) if whose == str(token) else Mark.GONE
