"""A day of a busy installation, played by one worker with the real verbs on a fake clock, and counted.

It plays what a report has to show: steady work, a pipeline whose second stage is slow, a model server that
answers 429 for hours, a bad release that kills jobs, retries, and queues that are behind at the end.
"""

import heapq
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from holdfast.testing.clock import FakeClock
from tests.builders import a_queue, a_worker, ready_jobs, renew, to_json
from tests.stage_builders import a_pipeline

TURN = "select * from holdfast.settle_and_claim($1, $2, $3, $4, $5, $6, $7)"
STAGES = ("triage", "research", "response", "editorial")
# Jobs that arrive in an hour, and how long one runs, in seconds.
ARRIVALS = {"chat-replies": 90, "bill-alerts": 36, "repo-capture": 14}
RUNS = {
    "reply": 2.5,
    "match": 9.0,
    "capture": 40.0,
    "triage": 2.0,
    "research": 55.0,
    "response": 12.0,
    "editorial": 6.0,
}
TASKS = {"chat-replies": "reply", "bill-alerts": "match", "repo-capture": "capture"}
ENDPOINT = {"match": "langgraph", "research": "ollama-12b", "response": "ollama-12b"}
MODELS = {"research": "qwen3:14b", "response": "qwen3:14b", "match": "claude-haiku"}
UNITS = {"research": 5200, "response": 1800, "match": 900}


@dataclass(slots=True)
class Ledger:
    """What the day counted itself: ends of jobs and stage visits, failed attempts, ends after a retry."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter)  # by queue and state
    tasks: Counter[str] = field(default_factory=Counter)
    retried: Counter[str] = field(default_factory=Counter)  # by state
    failed: int = 0
    units: int = 0
    calls: int = 0
    left: int = 0

    def of(self, state: str) -> int:
        return sum(jobs for (_, end), jobs in self.ends.items() if end == state)


@dataclass(order=True, slots=True)
class Work:
    """A claimed job and when it will be finished."""

    until: datetime
    number: int
    row: Any = field(compare=False)


@dataclass(slots=True)
class BusyDay:
    conn: Connection
    clock: FakeClock
    worker: UUID
    began: datetime
    hours: float
    rate: float
    random: Random
    ledger: Ledger = field(default_factory=Ledger)
    work: list[Work] = field(default_factory=list)
    again: set[tuple[UUID, int]] = field(default_factory=set)
    units: Counter[tuple[UUID, int]] = field(default_factory=Counter)
    number: int = 0
    share: float = 0.0  # of the day that is over
    broken: int = 0  # jobs that the bad release killed
    each_tick: Callable[["BusyDay"], Awaitable[None]] | None = None

    async def play(self, tick: timedelta) -> Ledger:
        now, end = self.began, self.began + timedelta(hours=self.hours)
        counted_at = arrives_at = now
        while now < end:
            self.share = (now - self.began) / (end - self.began)
            if now >= arrives_at:
                await self.conn.execute("select holdfast.promote_jobs()")
                await self.arrive(tick)
                if self.each_tick is not None:
                    await self.each_tick(self)
                arrives_at += tick
            await self.turn(now)
            now = (
                min(arrives_at, max(now + timedelta(seconds=1), self.work[0].until))
                if self.work
                else arrives_at
            )
            await self.clock.set(now)
            if now - counted_at >= timedelta(minutes=9):
                await self.count()
                counted_at = now
        await self.count()
        self.ledger.left = await self.conn.fetchval("select count(*) from holdfast.jobs")
        return self.ledger

    async def count(self) -> None:
        """As maintenance does; and the worker renews its lease."""
        await renew(self.conn, self.worker, running=len(self.work))
        await self.conn.execute("select holdfast.summarise_ends()")

    async def arrive(self, tick: timedelta) -> None:
        hour = 24 * self.share
        wave = 1 + 0.5 * (1 - abs(hour - 14) / 12)  # more by day than by night
        for queue, per_hour in ARRIVALS.items():
            if arrived := self.drawn(per_hour * wave * self.rate, tick):
                task = TASKS[queue]
                await ready_jobs(self.conn, arrived, queue=queue, task=task, retry={"delays": [20, 60, 180]})
        if arrived := self.drawn(45 * wave * self.rate * (1.5 if hour > 20 else 1.0), tick):
            await ready_jobs(self.conn, arrived, pipeline="posts", retry={"delays": [15, 45, 120]})

    def drawn(self, per_hour: float, tick: timedelta) -> int:
        expected = per_hour * (tick / timedelta(hours=1))
        return int(expected) + (self.random.random() < expected % 1)

    async def turn(self, now: datetime) -> None:
        done: list[Any] = []
        while self.work and self.work[0].until <= now:
            done.append(heapq.heappop(self.work).row)
        ends = [self.end(row) for row in done]
        for row, (_, detail) in zip(done, ends, strict=True):
            await self.record_call(row, detail)
        rows = await self.conn.fetch(
            TURN,
            self.worker,
            40 - len(self.work),
            [row["job_id"] for row in done],
            [row["token"] for row in done],
            [verb for verb, _ in ends],
            [None for _ in ends],
            [None if detail is None else json.dumps(detail) for _, detail in ends],
        )
        for row in rows:
            if row["kind"] == "job":
                self.number += 1
                takes = RUNS[row["task"]] * self.random.lognormvariate(0, 0.45) * self.slowness(row["task"])
                heapq.heappush(self.work, Work(now + timedelta(seconds=takes), self.number, row))

    async def record_call(self, row: Any, detail: dict[str, Any] | None) -> None:
        """Of the model, by a job that uses one."""
        if detail is None or "units" not in detail:
            return
        self.ledger.calls += 1
        call = {
            "kind": "model",
            "name": MODELS[row["task"]],
            "units": detail["units"],
            "seconds": RUNS[row["task"]] * self.random.uniform(0.5, 0.9),
            "error": detail.get("message"),
        }
        await self.conn.execute(
            "select holdfast.save_call($1, $2, $3)", row["job_id"], row["token"], json.dumps(call)
        )

    def slowness(self, task: str) -> float:
        return 2.2 if ENDPOINT.get(task) == "ollama-12b" and self.share > 0.8 else 1.0

    def end(self, row: Any) -> tuple[str, dict[str, Any] | None]:
        """The verb and its detail; written into the ledger."""
        detail = self.used(row)
        if error := self.error(row["task"]):
            return self.fail(row, {**error, **(detail or {})})
        if row["stage"] == "triage" and self.random.random() < 0.12:
            self.left(row, "rejected")
            return "reject", {"reason": "not for us", **(detail or {})}
        if row["stage"] in STAGES[:-1]:
            self.left(row, "advanced")
            return "advance", {"stage": STAGES[STAGES.index(row["stage"]) + 1], **(detail or {})}
        self.left(row, "completed")
        return "complete", detail

    def used(self, row: Any) -> dict[str, Any] | None:
        """Statistics count the units of all attempts of a visit when it ends."""
        if row["task"] not in UNITS:
            return None
        units = round(UNITS[row["task"]] * self.random.uniform(0.6, 1.4))
        self.units[row["job_id"], row["visit"]] += units
        return {"units": units}

    def fail(self, row: Any, error: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if error["class"] != "rate_limited":
            self.ledger.failed += 1
        if error["class"] == "permanent" or (error["class"] == "transient" and row["failures"] >= 3):
            self.left(row, "dead")
        elif error["class"] == "transient":
            self.again.add((row["job_id"], row["visit"]))
        return "fail", error

    def left(self, row: Any, state: str) -> None:
        """A job ended, or went on to the next stage."""
        self.ledger.ends[row["queue"], state] += 1
        self.ledger.tasks[row["task"]] += 1
        self.ledger.units += self.units[row["job_id"], row["visit"]]
        self.ledger.retried[state] += (row["job_id"], row["visit"]) in self.again

    def error(self, task: str) -> dict[str, Any] | None:
        luck, share = self.random.random(), self.share
        # The order of claims differs from day to day, and so does luck: at least three jobs die in each.
        if task == "match" and 0.7 < share < 0.82 and (luck < 0.35 or self.broken < 3):
            self.broken += 1
            return _error("permanent", "KeyError", "'sponsor'", "alerts/match.py:88 in match_bill")
        if task in ("research", "response") and share > 0.8 and luck < 0.12:
            words = "429 Too Many Requests from ollama-12b"
            return _error("rate_limited", "ModelRateLimited", words, "agents/model.py:41 in ask")
        if task in ("research", "response") and luck < 0.05:
            words = f"no answer within {self.random.choice((60, 90))} s"
            return _error("transient", "ReadTimeout", words, "agents/model.py:52 in ask")
        if task == "capture" and luck < 0.09:
            words = f"object {self.number} is missing: fatal: early EOF"
            return _error("transient", "GitError", words, "capture/clone.py:31 in clone")
        if luck < 0.006:
            return _error(
                "transient", "ConnectionResetError", "[Errno 104] Connection reset by peer", "net.py:7"
            )
        return None


def _error(kind: str, name: str, words: str, place: str) -> dict[str, Any]:
    """No failure is evidence against its endpoint, so that each counts as the ledger says."""
    error = {"class": kind, "type": name, "message": words, "place": place}
    return error if kind == "rate_limited" else {**error, "evidence": "none"}


async def busy_day(
    conn: Connection,
    hours: float = 24,
    rate: float = 1.0,
    tick: timedelta = timedelta(seconds=30),
    seed: int = 7,
    each_tick: Callable[[BusyDay], Awaitable[None]] | None = None,
) -> Ledger:
    """Ends at the present minute. On a connection of its own: every turn commits. `each_tick` adds to it."""
    clock = await install_fake_clock(conn)
    end = (await clock.now()).replace(second=0, microsecond=0)
    began = end - timedelta(hours=hours)
    await clock.set(began)
    for name, settings in {
        "ollama-12b": {"max": 6, "price": 0.0000021, "budget_per_day": 25, "estimate": 3000},
        "ollama-4b": {"max": 8},
        "langgraph": {"max": 4, "price": 0.000004},
    }.items():
        await conn.execute("select holdfast.declare_endpoint($1, $2)", name, to_json(settings))
    stages = [{"name": one, "task": one, "endpoint": ENDPOINT.get(one)} for one in STAGES]
    await a_pipeline(conn, "posts", [{k: v for k, v in one.items() if v} for one in stages])
    await a_queue(conn, "bill-alerts", endpoint="langgraph")
    await a_queue(conn, "capture-backfill")
    worker = await a_worker(
        conn,
        [*ARRIVALS, *(f"posts.{stage}" for stage in STAGES)],
        lease=timedelta(days=1),
        slots=40,
        host="ams-1",
        pid=4711,
        version="2026.3.2",
    )
    await ready_jobs(conn, 240, queue="capture-backfill", task="capture")
    day = BusyDay(conn, clock, worker, began, hours, rate, Random(seed), each_tick=each_tick)
    return await day.play(tick)
