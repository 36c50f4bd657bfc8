"""Random verbs on many connections, over several endpoints and queues: no deadlock, and no permit is lost."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, cancel, rescue, settle, to_json
from tests.race.crowd import Crowd, watched
from tests.sql.endpoints.scene import an_endpoint, assert_balanced

ENDPOINTS = {
    "fixed": {"mode": "fixed", "max": 6, "trip_failures": 1000},
    "flow": {"max": 12, "trip_failures": 1000, "shares": {"one": 0.3}},
    "paced": {"mode": "aimd", "max": 8, "trip_failures": 1000, "requests_per_minute": 600},
    "paid": {"mode": "fixed", "max": 5, "trip_failures": 1000, "estimate": 3, "units_per_minute": 5000},
}
NAMES = [*ENDPOINTS, ""]
QUEUES = ["one", "two", "three"]
ACTORS = 8
TURN = "select * from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)"
ENDS: list[tuple[str, dict[str, object]]] = [
    ("complete", {}),
    ("complete", {"units": 5}),
    ("fail", {"class": "transient"}),
    ("fail", {"class": "rate_limited", "retry_after": 0}),
    ("fail", {"class": "permanent"}),
    ("release", {}),
    ("snooze", {"delay": 0}),
    ("reject", {"reason": "no"}),
    ("cancel", {"reason": "told to"}),
]


@dataclass(slots=True)
class Actor:
    """Claims, ends one or many, cancels what anybody holds, sweeps, and vanishes now and then."""

    conn: Connection
    chance: random.Random
    everybody: list["Actor"]
    worker: UUID = field(default_factory=uuid4)
    held: list[Running] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    async def step(self) -> None:
        deeds: dict[Callable[[], Awaitable[None]], int] = {
            self.claim: 4,
            self.end_one: 6,
            self.turn: 6,
            self.cancel: 1,
            self.rescue: 2,
            self.vanish: 1,
        }
        (deed,) = self.chance.choices(list(deeds), list(deeds.values()))
        await deed()
        self.done[deed.__name__] += 1

    async def claim(self) -> None:
        await self._turn(self.chance.randint(1, 6), [])

    async def end_one(self) -> None:
        if self.held:
            verb, detail = self.chance.choice(ENDS)
            await settle(self.conn, self.held.pop(self.chance.randrange(len(self.held))), verb, detail)
        else:
            await self.enqueue()

    async def turn(self) -> None:
        """A worker's whole turn: any mix of ends, of any endpoints, and the next claim."""
        self.chance.shuffle(self.held)
        ending, self.held = self.held[:8], self.held[8:]
        await self._turn(self.chance.randint(0, 8), ending)

    async def _turn(self, wanted: int, ending: list[Running]) -> None:
        ends = [self.chance.choice(ENDS) for _ in ending]
        rows = await self.conn.fetch(
            TURN,
            *(self.worker, wanted, [job.id for job in ending], [job.token for job in ending]),
            *([verb for verb, _ in ends], [None] * len(ends), [to_json(detail) for _, detail in ends]),
        )
        if any(row["kind"] == "lapsed" for row in rows):
            await self.come_back()
        claimed = [row for row in rows if row["kind"] == "job"]
        self.held += [Running(row["job_id"], row["token"], self.worker, row["attempt"]) for row in claimed]
        if wanted and not claimed:
            await self.enqueue()

    async def cancel(self) -> None:
        held = self.chance.choice(self.everybody).held
        if held:
            await cancel(self.conn, self.chance.choice(held).id)

    async def rescue(self) -> None:
        await rescue(self.conn)

    async def vanish(self) -> None:
        await self.conn.execute(
            "update holdfast.workers set lease_until = holdfast.now() - interval '1 s' where id = $1",
            self.worker,
        )

    async def come_back(self) -> None:
        self.held = []
        self.worker = await a_worker(self.conn, queues=QUEUES)

    async def enqueue(self) -> None:
        """A few of every kind, but no more than can be worked off."""
        if await self.conn.fetchval("select count(*) from holdfast.jobs") < 400:
            each = [
                to_json({"endpoint": self.chance.choice(NAMES), "queue": self.chance.choice(QUEUES)})
                for _ in range(15)
            ]
            await self.conn.fetch(
                "select holdfast.enqueue_jobs(array['t'], $1::json[], $2, $3::jsonb[])",
                ["{}"] * len(each),
                to_json({"retry": [0] * 5}),
                each,
            )


@pytest.mark.parametrize(
    "calls",
    [
        1_500,
        pytest.param(5_000, marks=pytest.mark.slow),
        pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
)
async def test_no_interleaving_ends_in_a_deadlock(crowded: Crowd, calls: int) -> None:
    """A deadlock, or a wait of two minutes, is an error of some call, and no error is expected here."""
    for name, settings in ENDPOINTS.items():
        await an_endpoint(crowded.watcher, name, **settings)
    actors: list[Actor] = []
    for number in range(ACTORS):
        actors.append(Actor(await crowded.join(), random.Random(number), actors))
        await actors[-1].come_back()
        await actors[-1].enqueue()
    left = iter(range(calls))
    async with watched(lambda: look(crowded.watcher), every=0.05):
        await asyncio.gather(*(act(actor, left) for actor in actors))
    done = sum((actor.done for actor in actors), Counter[str]())
    assert sum(done.values()) == calls
    assert min(done.values()) > calls // 100, f"hardly ever: {done}"
    await all_permits_come_back(crowded.watcher)


async def act(actor: Actor, left: Iterator[int]) -> None:
    for _ in left:
        await actor.step()


async def look(conn: Connection) -> None:
    """In every snapshot the counters are the rows; pauses are lifted, for this is about locks."""
    await assert_balanced(conn)
    await conn.execute("update holdfast.endpoints set blocked_until = 0 where blocked_until > 0")


async def all_permits_come_back(conn: Connection) -> None:
    await assert_balanced(conn)
    ended = await conn.fetchval("select count(*) from holdfast.history")
    assert ended > 100
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 s'")
    while await conn.fetchval("select exists (select from holdfast.jobs where state = 'running')"):
        await rescue(conn)
    assert await conn.fetchval("select sum(in_flight) from holdfast.endpoints") == 0
    await assert_balanced(conn)
