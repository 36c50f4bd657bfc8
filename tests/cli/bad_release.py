"""A release that breaks: a third of its jobs die in three ways, and one sticks."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, ready_jobs, to_json
from tests.cli.scene import count_ends

ERRORS = (
    {"type": "KeyError", "message": "'currency'", "place": "charge.py:12 in price"},
    {"type": "TimeoutError", "message": "the bank did not answer", "place": "bank.py:40 in call"},
    {"type": "ValueError", "message": "a test order", "place": "charge.py:70 in check"},
)


async def bad_release(conn: Connection, count: int) -> UUID:
    """The id of the job that sticks; of the others every tenth dies of each error."""
    worker = await a_worker(conn, ["orders"], timedelta(hours=1), version="2.0")
    await ready_jobs(conn, count, task="charge", queue="orders")
    stuck, *others = [job for _ in range(0, count, 1000) for job in await claim(conn, worker, 1000)]
    assert len(others) == count - 1
    for start in range(0, count, 1000):
        await end(conn, worker, others[start : start + 1000])
    await count_ends(conn)
    return stuck.id


async def end(conn: Connection, worker: UUID, jobs: list[Running]) -> None:
    errors: list[dict[str, Any] | None] = [
        {"class": "permanent", **ERRORS[number % 10]} if number % 10 < len(ERRORS) else None
        for number in range(len(jobs))
    ]
    lost = await conn.fetch(
        "select kind from holdfast.settle_and_claim($1, 0, $2, $3, $4, $5, $6)",
        worker,
        [job.id for job in jobs],
        [job.token for job in jobs],
        ["fail" if error else "complete" for error in errors],
        [None] * len(jobs),
        [to_json(error) if error else None for error in errors],
    )
    assert "lost" not in [row["kind"] for row in lost]
