"""Ten thousand jobs wait for an endpoint that was away: they come back as a ramp, not as a wave."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.connect import Connection
from holdfast.testing import FakeClock, install_fake_clock
from tests.sql.endpoints.scene import a_caller, an_endpoint, assert_balanced, calls, the_endpoint

JOBS = 10_000
MOST = 16
PROBES = 3  # while the circuit is not closed
AWAY = 300
WORKERS = 4
TURN = "select * from holdfast.settle_and_claim($1, 100, $2, $3, $4, $5, $6)"
ERROR = '{"class": "transient", "type": "ConnectionError", "message": "away"}'
ENDED_BADLY = "select count(*) from holdfast.job_view where state in ('dead', 'rejected', 'cancelled')"


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture
async def clock(conn: Connection) -> FakeClock:
    return await install_fake_clock(conn)


@dataclass(slots=True)
class Crew:
    """Workers that would each start a hundred calls; every call takes one second of the fake clock."""

    conn: Connection
    clock: FakeClock
    workers: list[UUID]
    running: dict[UUID, list[tuple[UUID, UUID]]] = field(default_factory=dict)

    async def second(self, ends: str) -> int:
        """All calls end so, and each worker asks for more; how many calls began."""
        began = 0
        for worker in self.workers:
            held = self.running.get(worker, [])
            rows = await self.conn.fetch(TURN, worker, *settled(held, ends))
            assert [row for row in rows if row["kind"] == "lost"] == []
            self.running[worker] = [(row["job_id"], row["token"]) for row in rows if row["kind"] == "job"]
            began += len(self.running[worker])
        await self.clock.advance("1s")
        return began


def settled(held: list[tuple[UUID, UUID]], ends: str) -> tuple[list[Any], ...]:
    count = len(held)
    detail = ERROR if ends == "fail" else None
    return (
        [job for job, _ in held],
        [token for _, token in held],
        [ends] * count,
        [None] * count,
        [detail] * count,
    )


@pytest.mark.slow
async def test_ten_thousand_retries_that_are_due_when_an_endpoint_is_back_come_as_a_ramp(
    conn: Connection, clock: FakeClock
) -> None:
    """Of each second: how many calls began, which end a second later, and how many the limit allowed."""
    await an_endpoint(conn, max=MOST)
    await calls(conn, 100, max_failures=3, retry="chat")
    for _ in range(9):
        await calls(conn, (JOBS - 100) // 9, max_failures=3, retry="chat", delay=AWAY)
    crew = Crew(conn, clock, [await a_caller(conn) for _ in range(WORKERS)])
    asked = sum([await crew.second("fail") for _ in range(AWAY)])
    assert 0 < asked < AWAY, "it is away, and is asked now and then"
    assert (await the_endpoint(conn))["circuit"] != "closed"
    begun = await come_back(crew, 200)
    assert begun[-1][0] == MOST, "in the end all that it bears"
    assert all(starts <= max(PROBES, limit) for starts, limit in begun)
    steps = [after - before for (before, _), (after, _) in pairwise(begun)]
    assert (max(steps), begun[0][0] <= PROBES) == (1, True), "no wave"
    assert await conn.fetchval(ENDED_BADLY) == 0
    await assert_balanced(conn)


async def come_back(crew: Crew, seconds: int) -> list[tuple[int, int]]:
    """Until as many begin as ever may."""
    begun = []
    for _ in range(seconds):
        starts = await crew.second("complete")
        endpoint = await the_endpoint(crew.conn)
        assert endpoint["in_flight"] == starts
        begun.append((starts, floor(endpoint["limit"])))
        if starts == MOST:
            break
    return begun
