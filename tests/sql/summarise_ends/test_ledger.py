"""Over random histories with replays, every figure is what the test has written down itself."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_queue, cancel, expire_worker, ready_job, replay, rescue, settle
from tests.sql.conftest import STANDING_NOW, Clock
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, claimed
from tests.sql.summarise_ends.scene import call, summarise
from tests.stage_builders import a_pipeline

STAGES = [
    {"name": "draft", "task": "draft", "queue": "drafts", "endpoint": "model"},
    {"name": "check", "task": "check", "queue": "checks"},
]
QUEUES = ["plain", "drafts", "checks"]
PRICE = 2.0
STATE = """
select queue, task, coalesce(pipeline, '') as pipeline, coalesce(stage, '') as stage, failures, losses
from holdfast.jobs where id = $1
"""
DEAD = """
select queue, task, coalesce(pipeline, '') as pipeline, coalesce(stage, '') as stage, failures, losses
from holdfast.history where id = $1 and state = 'dead'
"""
COUNTED = """
select what, queue, task, pipeline, stage, state, name, sum(jobs) as jobs, sum(retried) as retried,
  sum(retries) as retries, sum(tries) as tries, sum(units) as units, sum(cost) as cost,
  sum(wait_seconds) as wait_seconds, sum(run_seconds) as run_seconds,
  (select coalesce(sum(e.value::bigint), 0)
   from jsonb_each_text(holdfast.sum_tens(array_agg(wait_tens))) as e) as waits
from {}
where what <> 'label'
group by what, queue, task, pipeline, stage, state, name
"""
Key = tuple[str, str, str, str, str, str, str]


@dataclass
class Line:
    jobs: int = 0
    retried: int = 0
    retries: int = 0
    tries: int = 0
    waits: int = 0
    units: float = 0.0
    cost: float = 0.0
    wait_seconds: float = 0.0
    run_seconds: float = 0.0


@dataclass
class Life:
    """What the test knows of a job since its present stage visit began."""

    labels: dict[str, str]
    ready_at: datetime
    started_at: datetime | None = None
    units: float = 0.0
    cost: float = 0.0
    tries: int = 0


@dataclass
class Ledger:
    lines: dict[Key, Line] = field(default_factory=dict)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)

    def line(self, *key: str) -> Line:
        what, queue, task, pipeline, stage, state, name = key
        return self.lines.setdefault((what, queue, task, pipeline, stage, state, name), Line())


class Play:
    def __init__(self, conn: Connection, clock: Clock, seed: int) -> None:
        self.conn = conn
        self.clock = clock
        self.dice = random.Random(seed)
        self.ledger = Ledger()
        self.lives: dict[UUID, Life] = {}
        self.held: list[Running] = []
        self.ended: list[UUID] = []

    async def through(self, turns: int) -> None:
        await self.conn.execute(STANDING_NOW)
        await a_fixed_endpoint(self.conn, price=PRICE, trip_failures=1000)
        await a_pipeline(self.conn, stages=STAGES)
        await a_queue(self.conn, "plain", stats_label="customer")
        self.worker = await a_caller(self.conn, *QUEUES)
        for _ in range(turns):
            step = self.dice.choice(
                [self.enqueue, self.enqueue, self.claim, self.claim, self.end, self.end, self.end, self.rest]
            )
            await step()
        await self.clock.advance(timedelta(minutes=2))
        await summarise(self.conn)

    async def enqueue(self) -> None:
        labels = {"customer": self.dice.choice(["Ada", "Bob"])}
        if self.dice.random() < 0.5:
            job = await ready_job(self.conn, queue="plain", labels=labels, retry=[0] * 50, max_failures=60)
            self.ledger.line("enqueue", "plain", "task", "", "", "", "").jobs += 1
        else:
            job = await ready_job(self.conn, pipeline="line", labels=labels, retry=[0] * 50, max_failures=60)
            self.ledger.line("enqueue", "", "", "line", "", "", "").jobs += 1
        self.lives[job] = Life(labels, await self.clock.now())

    async def claim(self) -> None:
        await self.conn.execute("update holdfast.jobs set due_at = holdfast.now() where state = 'scheduled'")
        await self.conn.execute("select holdfast.promote_jobs()")
        for job in await claimed(self.conn, self.worker, self.dice.randint(1, 3)):
            life = self.lives[job.id]
            life.started_at = await self.clock.now()
            life.tries += 1
            self.held.append(job)

    async def rest(self) -> None:
        match self.dice.randint(0, 4):
            case 0:
                await self.clock.advance(timedelta(seconds=self.dice.randint(0, 70)))
            case 1:
                await summarise(self.conn, self.dice.choice(["0", "1 minute"]))
            case 2 if self.ended:
                job = self.ended.pop(self.dice.randrange(len(self.ended)))
                assert await replay(self.conn, job) == "replayed"
                life = self.lives[job]
                self.lives[job] = Life(life.labels, await self.clock.now())
            case 3:
                await self.lose()
            case _:
                await self.cancel_ready()

    async def cancel_ready(self) -> None:
        row = await self.conn.fetchrow(
            "select id from holdfast.jobs where state = 'ready' order by id limit 1"
        )
        if row is not None:
            where = await self.where(row["id"])
            assert await cancel(self.conn, row["id"]) == "cancelled"
            await self.note_end(row["id"], where, "cancelled")

    async def lose(self) -> None:
        lost = {job.id: await self.where(job.id) for job in self.held}
        if not lost:
            return
        await expire_worker(self.conn, self.worker)
        await rescue(self.conn)
        for job, where in lost.items():
            self.note_attempt(job, where, "lost", "", await self.clock.now())
            self.lives[job].ready_at = await self.clock.now()
            if (dead := await self.is_dead(job)) is not None:
                await self.note_end(job, dead, "dead")
        self.held.clear()
        self.worker = await a_caller(self.conn, *QUEUES)

    async def is_dead(self, job: UUID) -> Any:
        return await self.conn.fetchrow(DEAD, job)

    async def where(self, job: UUID) -> Any:
        return await self.conn.fetchrow(STATE, job)

    async def end(self) -> None:
        if not self.held:
            return
        job = self.held.pop(self.dice.randrange(len(self.held)))
        where = await self.where(job.id)
        life = self.lives[job.id]
        if self.dice.random() < 0.3:
            await self.call(job, where)
        units = self.dice.choice([0.0, 1.0, 5.0])
        life.units += units
        life.cost += units * PRICE if where["stage"] == "draft" else 0
        now = await self.clock.now()
        match self.dice.choice(["ok", "ok", "ok", "fail", "reject", "die", "release"]):
            case "ok" if where["stage"] == "draft":
                assert await settle(self.conn, job, "advance", {"units": units})
                await self.note_end(job.id, where, "advanced")
                self.lives[job.id] = Life(life.labels, now)
            case "ok":
                verb = "advance" if where["stage"] else "complete"
                assert await settle(self.conn, job, verb, {"units": units})
                await self.note_end(job.id, where, "completed")
            case "reject":
                assert await settle(self.conn, job, "reject", {"reason": "no", "units": units})
                await self.note_end(job.id, where, "rejected")
            case "release":
                assert await settle(self.conn, job, "release", {"units": units})
                life.ready_at, life.started_at = now, None
            case end:
                error = "permanent" if end == "die" else "transient"
                detail = {"class": error, "type": "E", "message": "m", "units": units, "evidence": "good"}
                assert await settle(self.conn, job, "fail", detail)
                outcome = "failed"
                self.note_attempt(job.id, where, outcome, error, now)
                if end == "die":
                    await self.note_end(job.id, await self.is_dead(job.id), "dead")
                else:
                    life.ready_at = now

    async def call(self, job: Running, where: Any) -> None:
        kind = self.dice.choice(["model", "tool"])
        await call(self.conn, job, kind, units=3)
        line = self.ledger.line(
            "call", where["queue"], where["task"], where["pipeline"], where["stage"], kind, "big"
        )
        line.jobs += 1
        line.units += 3
        line.cost += 3 * PRICE if where["stage"] == "draft" else 0
        line.run_seconds += 1

    def note_attempt(self, job: UUID, where: Any, outcome: str, error: str, now: datetime) -> None:
        life = self.lives[job]
        line = self.ledger.line(
            "attempt", where["queue"], where["task"], where["pipeline"], where["stage"], outcome, error
        )
        line.jobs += 1
        assert life.started_at is not None
        line.run_seconds += (now - life.started_at).total_seconds()

    async def note_end(self, job: UUID, where: Any, state: str) -> None:
        life = self.lives[job]
        line = self.ledger.line(
            "end", where["queue"], where["task"], where["pipeline"], where["stage"], state, ""
        )
        retries = where["failures"] + where["losses"] - (state == "dead")
        line.jobs += 1
        line.retries += retries
        line.retried += retries > 0
        line.tries += life.tries
        line.units += life.units
        line.cost += life.cost
        if life.started_at is not None and state != "cancelled":
            line.waits += 1
            line.wait_seconds += (life.started_at - life.ready_at).total_seconds()
            line.run_seconds += (await self.clock.now() - life.started_at).total_seconds()
        if state != "advanced":
            self.ended.append(job)
            if where["queue"] == "plain":
                self.ledger.labels[(life.labels["customer"], state)] += 1

    async def seen(self, table: str) -> dict[Key, Line]:
        return {
            (r["what"], r["queue"], r["task"], r["pipeline"], r["stage"], r["state"], r["name"]): Line(
                r["jobs"],
                r["retried"],
                r["retries"],
                r["tries"],
                r["waits"],
                r["units"],
                r["cost"],
                r["wait_seconds"],
                r["run_seconds"],
            )
            for r in await self.conn.fetch(COUNTED.format(table))
        }


def assert_alike(seen: dict[Key, Line], wanted: dict[Key, Line]) -> None:
    assert seen.keys() == wanted.keys()
    for key, line in wanted.items():
        found = seen[key]
        whole = ("jobs", "retried", "retries", "tries", "waits", "units", "cost")
        assert {n: getattr(found, n) for n in whole} == {n: getattr(line, n) for n in whole}, key
        times = pytest.approx([line.wait_seconds, line.run_seconds], abs=1e-3)
        assert [found.wait_seconds, found.run_seconds] == times, key


@pytest.mark.parametrize("seed", range(6))
async def test_every_figure_is_that_of_the_ledger(conn: Connection, clock: Clock, seed: int) -> None:
    play = Play(conn, clock, seed)
    await play.through(150)
    assert_alike(await play.seen("holdfast.end_counts"), play.ledger.lines)
    assert_alike(await play.seen("holdfast.stat_totals()"), play.ledger.lines)
    labels = await conn.fetch(
        "select name, state, sum(jobs) as jobs from holdfast.end_counts where what = 'label' group by 1, 2"
    )
    assert {(r["name"], r["state"]): r["jobs"] for r in labels} == dict(play.ledger.labels)
    assert await conn.fetch("select * from holdfast.check_invariants(1000)") == []
