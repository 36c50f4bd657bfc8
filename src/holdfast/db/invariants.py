"""Asks the database whether all is as it must be."""

from datetime import timedelta

from holdfast.db.statement import Executor, fetch
from holdfast.model.id import JobId
from holdfast.model.invariant import Violation

CHECK = "select name, job, detail from holdfast.check_invariants($1::integer, $2::interval)"
NEWEST = 10_000  # of everything: seconds on a small server, however long its history
MOST = 100_000  # that production may ask for: half a minute, all of it in one snapshot


async def check_invariants(
    on: Executor, newest: int = NEWEST, settled: timedelta | None = None
) -> list[Violation]:
    """Every violation among the newest jobs; `settled` also finds those that should have moved by then."""
    return [
        Violation(row["name"], None if row["job"] is None else JobId(row["job"]), row["detail"])
        for row in await fetch(on, CHECK, newest, settled)
    ]
