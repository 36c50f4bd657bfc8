"""A random history of jobs, and the ledger of what its metrics must say."""

import random
from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_queue,
    a_worker,
    cancel,
    claim,
    expire_worker,
    fail,
    ready_job,
    rescue,
    settle,
)

QUEUES = ("mail", "chat", 'a"b\n{')
TASKS = ("send", "fetch")
Key = tuple[str, frozenset[tuple[str, str]]]


def key(name: str, labels: dict[str, str]) -> Key:
    """An empty label is no label."""
    return name, frozenset((label, value) for label, value in labels.items() if value)


@dataclass(slots=True)
class LedgerJob:
    queue: str
    task: str
    tries: int = 0
    failures: int = 0


@dataclass(slots=True)
class Ledger:
    """Jobs that have not ended, and what was counted so far by metric and labels."""

    live: dict[UUID, LedgerJob] = field(default_factory=dict)
    counts: Counter[Key] = field(default_factory=Counter)

    def count(self, name: str, amount: int, /, **labels: str) -> None:
        self.counts[key(f"holdfast_{name}", labels)] += amount

    def expected(self) -> dict[Key, int]:
        wanted = Counter(self.counts)
        for job in self.live.values():
            wanted[key("holdfast_jobs", {"queue": job.queue, "state": "ready"})] += 1
        return {of: count for of, count in wanted.items() if count}

    def enqueued(self, job_id: UUID, queue: str, task: str) -> None:
        self.live[job_id] = LedgerJob(queue, task)
        self.count("jobs_enqueued_total", 1, queue=queue, task=task)

    def went_wrong(self, job: LedgerJob, outcome: str, error_class: str) -> None:
        job.failures += 1
        labels = {"queue": job.queue, "task": job.task, "outcome": outcome, "class": error_class}
        self.count("attempts_failed_total", 1, **labels)

    def ended(self, job_id: UUID, outcome: str, units: int = 0) -> None:
        job = self.live.pop(job_id)
        place = {"queue": job.queue, "task": job.task}
        retries = job.failures - (outcome == "dead")
        self.count("jobs_ended_total", 1, **place, outcome=outcome)
        self.count("attempts_started_total", job.tries, **place)
        self.count("retries_total", retries, **place)
        self.count("jobs_retried_total", int(retries > 0), **place, outcome=outcome)
        self.count("units_total", units, **place)
        if outcome != "cancelled":
            self.count("job_run_seconds_count", 1, queue=job.queue)
            self.count("job_wait_seconds_count", 1, queue=job.queue)
        if outcome == "dead":
            self.count("dead_letters_open", 1, queue=job.queue)


@dataclass(slots=True)
class History:
    """Does what producers, workers and operators do, in a random order."""

    conn: Connection
    chance: random.Random
    ledger: Ledger = field(default_factory=Ledger)

    async def go(self, steps: int) -> Ledger:
        for queue in QUEUES:
            await a_queue(self.conn, queue, max_losses=100)
        for _ in range(steps):
            step = self.chance.choice([self.enqueue, self.enqueue, self.run, self.run, self.run, self.cancel])
            await step()
        return self.ledger

    async def enqueue(self) -> None:
        queue, task = self.chance.choice(QUEUES), self.chance.choice(TASKS)
        job = await ready_job(self.conn, queue=queue, task=task, retry=[0] * 50)
        self.ledger.enqueued(job, queue, task)

    async def cancel(self) -> None:
        if self.ledger.live:
            job = self.chance.choice(list(self.ledger.live))
            assert await cancel(self.conn, job) == "cancelled"
            self.ledger.ended(job, "cancelled")

    async def run(self) -> None:
        worker = await a_worker(self.conn, queues=list(QUEUES))
        for running in await claim(self.conn, worker):
            self.ledger.live[running.id].tries += 1
            await self.chance.choice([self.complete, self.reject, self.fail, self.die, self.lose])(running)
        await self.conn.execute("select holdfast.stop_worker($1)", worker)

    async def complete(self, running: Running) -> None:
        units = self.chance.randrange(10)
        assert await settle(self.conn, running, "complete", {"units": units})
        self.ledger.ended(running.id, "completed", units)

    async def reject(self, running: Running) -> None:
        assert await settle(self.conn, running, "reject", {"reason": "not for us"})
        self.ledger.ended(running.id, "rejected")

    async def fail(self, running: Running) -> None:
        assert await fail(self.conn, running)
        self.ledger.went_wrong(self.ledger.live[running.id], "failed", "transient")

    async def die(self, running: Running) -> None:
        assert await fail(self.conn, running, "permanent")
        self.ledger.went_wrong(self.ledger.live[running.id], "failed", "permanent")
        self.ledger.ended(running.id, "dead")

    async def lose(self, running: Running) -> None:
        await expire_worker(self.conn, running.worker)
        await rescue(self.conn)
        self.ledger.went_wrong(self.ledger.live[running.id], "lost", "")
