"""What a worker reports may be odd, but it never prevents recording its ends, nor those of its neighbours."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, ready_jobs, state_of

TURN = "select * from holdfast.settle_and_claim($1, 0, $2, $3, $4, $5, $6)"

ODD = [
    "null",
    "5",
    '"units"',
    "[]",
    '{"units": "many"}',
    '{"units": {}}',
    '{"units": 1e400}',
    '{"units": 1e-400}',
    '{"delay": "later"}',
    '{"delay": -5}',
    '{"delay": 1e300}',
    '{"class": "odd", "retry_after": "soon", "outcome": 7}',
    '{"class": "rate_limited", "retry_after": -1}',
    '{"class": "rate_limited", "retry_after": 1e300}',
    '{"class": {"a": 1}, "type": [1], "message": {"a": "b"}, "traceback": 5, "place": null}',
    '{"reason": {"a": 1}}',
    '{"stage": "", "queue": "", "priority": 1e9}',
    '{"queue": 5, "priority": "high", "delay": {}}',
]


@pytest.mark.parametrize("verb", ["complete", "fail", "snooze", "release", "reject", "advance", "cancel"])
async def test_odd_details_stop_no_end(conn: Connection, verb: str) -> None:
    await ready_jobs(conn, 2 * len(ODD), max_failures=100)
    worker = await a_worker(conn)
    jobs = await claim(conn, worker, 2 * len(ODD))
    details: list[Any] = [*ODD, *[None] * len(ODD)]
    rows = await conn.fetch(
        TURN,
        worker,
        [job.id for job in jobs],
        [job.token for job in jobs],
        [verb] * len(ODD) + ["complete"] * len(ODD),
        ["1"] * len(jobs),
        details,
    )
    assert rows == []
    states = [await state_of(conn, job.id) for job in jobs]
    assert "running" not in states
    assert set(states[len(ODD) :]) == {"completed"}


async def test_units_that_are_no_number_leave_the_sum_as_it_was(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_jobs(conn, 1, retry=[0, 0, 0, 0])
    for verb, detail in [
        ("fail", '{"units": 1.5}'),
        ("fail", '{"units": "x"}'),
        ("advance", '{"units": 2, "stage": "s"}'),
        ("advance", '{"units": [], "stage": "s"}'),
        ("complete", '{"units": {}}'),
    ]:
        (job,) = await claim(conn, worker)
        await conn.fetch(TURN, worker, [job.id], [job.token], [verb], [None], [detail])
    assert await conn.fetchval("select units from holdfast.history") == 3.5


async def test_an_impossible_next_stage_is_a_dead_letter_that_says_so(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_jobs(conn, 1)
    (job,) = await claim(conn, worker)
    await conn.fetch(TURN, worker, [job.id], [job.token], ["advance"], ["1"], ['{"queue": ""}'])
    (letter,) = await conn.fetch("select * from holdfast.dead_letters")
    assert (letter["job_id"], letter["reason"], letter["error_type"]) == (job.id, "permanent", "BadAdvance")
    assert "queue" in letter["message"]
