"""Actors that do whatever comes to their minds, at once, on the same few keys and jobs."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, cancel, renew, replay, rescue, to_json

# A conflict of keys, a sealed run, a lease that ended: callers must reckon with these, and with nothing else.
EXPECTED = {"HF003", "HF005", "HF006"}
QUEUE = "storm"
ENDS: list[tuple[str, dict[str, object]]] = [
    ("complete", {}),
    ("complete", {}),
    ("complete", {}),
    ("fail", {"class": "transient"}),
    ("fail", {"class": "rate_limited", "retry_after": 0}),
    ("fail", {"class": "permanent"}),
    ("snooze", {"delay": 0}),
    ("release", {}),
    ("reject", {"reason": "no"}),
    ("advance", {"stage": "next", "queue": QUEUE}),
]


@dataclass(slots=True)
class Ledger:
    """What all actors know together."""

    accepted: set[UUID] = field(default_factory=set)
    runs: list[UUID] = field(default_factory=list)
    claimed: list[Running] = field(default_factory=list)


@dataclass(slots=True)
class Actor:
    conn: Connection
    ledger: Ledger
    chance: random.Random
    worker: UUID = field(default_factory=uuid4)
    held: list[Running] = field(default_factory=list)

    async def step(self) -> None:
        try:
            await self.chance.choice(self.deeds())()
        except asyncpg.PostgresError as error:
            if error.sqlstate not in EXPECTED:
                raise

    def deeds(self) -> list[Callable[[], Awaitable[None]]]:
        often: list[Callable[[], Awaitable[None]]] = [self.enqueue, self.enqueue, *([self.work] * 6)]
        seldom = [self.sweep, self.cancel, self.replay, self.settle_late, self.renew, self.vanish, self.seal]
        return [*often, *seldom]

    async def enqueue(self) -> None:
        count = self.chance.randint(1, 5)
        rows = await self.conn.fetch(
            "select * from holdfast.enqueue_jobs(array['t'], $1::json[], $2::jsonb, $3::jsonb[])",
            ["{}"] * count,
            to_json({"queue": QUEUE, "retry": [0, 0]}),
            [to_json(self.options()) for _ in range(count)],
        )
        self.ledger.accepted |= {row["job_id"] for row in rows}

    def options(self) -> dict[str, object]:
        asked: dict[str, object] = {"priority": self.chance.randint(0, 100)}
        if self.chance.random() < 0.4:
            asked["order_key"] = f"order {self.chance.randint(1, 3)}"
        if self.chance.random() < 0.3:
            asked["unique_key"] = f"unique {self.chance.randint(1, 5)}"
        if self.chance.random() < 0.3:
            asked["run"] = str(self.chance.choice(self.ledger.runs))
        return asked

    async def work(self) -> None:
        """A worker's turn: ends some of what it holds, all at once, and claims more."""
        ending, self.held = self.held[:4], self.held[4:]
        ends = [self.chance.choice(ENDS) for _ in ending]
        rows = await self.settle(ending, ends, 4)
        if any(row["kind"] == "lapsed" for row in rows):
            await self.register()
        for row in rows:
            if row["kind"] == "job":
                job = Running(row["job_id"], row["token"], self.worker, row["attempt"])
                self.held.append(job)
                self.ledger.claimed.append(job)

    async def settle(
        self, jobs: list[Running], ends: list[tuple[str, dict[str, object]]], n: int
    ) -> list[asyncpg.Record]:
        return await self.conn.fetch(
            "select * from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)",
            *(self.worker, n, [job.id for job in jobs], [job.token for job in jobs]),
            *([verb for verb, _ in ends], [None] * len(jobs), [to_json(detail) for _, detail in ends]),
        )

    async def register(self) -> None:
        self.worker, self.held = uuid4(), []
        await a_worker(self.conn, queues=[QUEUE], worker=self.worker)

    async def renew(self) -> None:
        row = await renew(self.conn, self.worker)
        if not row["known"]:
            await self.register()
        elif row["rescued"]:
            self.held = []

    async def vanish(self) -> None:
        """Its lease ends while it believes in it."""
        await self.conn.execute(
            "update holdfast.workers set lease_until = holdfast.now() - interval '1 s' where id = $1",
            self.worker,
        )

    async def sweep(self) -> None:
        await rescue(self.conn)
        await self.conn.execute("select holdfast.promote_jobs(), holdfast.advance_order_keys()")
        await self.conn.execute("select holdfast.close_runs()")

    async def cancel(self) -> None:
        await cancel(self.conn, self.any_job())

    async def replay(self) -> None:
        await replay(self.conn, self.any_job())

    async def settle_late(self) -> None:
        """With any token that was ever given out, mostly outdated."""
        if self.ledger.claimed:
            await self.settle([self.chance.choice(self.ledger.claimed)], [self.chance.choice(ENDS)], 0)

    async def seal(self) -> None:
        await self.conn.execute("select holdfast.seal_run($1)", self.chance.choice(self.ledger.runs[1:]))

    def any_job(self) -> UUID:
        return self.chance.choice(sorted(self.ledger.accepted)) if self.ledger.accepted else uuid4()
