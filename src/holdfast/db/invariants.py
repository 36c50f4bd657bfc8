"""Asks the database for violations of the invariants."""

from datetime import timedelta

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor
from holdfast.model.invariant import Violation

CHECK = "select name, job, detail from holdfast.check_invariants($1::integer, $2::interval)"
NEWEST = 10_000  # rows of each kind: seconds on a small server, however long its history
MOST = 100_000  # the most that production may ask for: half a minute, in one snapshot


async def check_invariants(
    on: Executor, newest: int = NEWEST, settled: timedelta | None = None
) -> list[Violation]:
    """Every violation among the newest jobs; with `settled`, also jobs that should have moved by then."""
    return await read_all(on, Violation, CHECK, newest, settled)
