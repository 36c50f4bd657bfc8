"""The same schedules done by the real verbs, on one connection: what the database says after every step."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg

from holdfast.db.connect import Connection
from tests.builders import (
    Running,
    a_queue,
    a_worker,
    cancel,
    claim_one,
    expire_worker,
    fail,
    ready_job,
    renew,
    rescue,
    settle,
)
from tests.proof.model_check.world import ENDS, MAX_FAILURES, MAX_LOSSES, WORKERS, Step, Verb, World
from tests.sql.conftest import Clock

LEASE = timedelta(days=1)  # only a step that says so ends it: all other steps together take less
TIMEOUT = timedelta(hours=1)
DELAY = timedelta(minutes=1)
GRACE = timedelta(seconds=30)
MOMENT = timedelta(seconds=6)  # what a worker has to stop an overdue attempt itself, and a bit

EFFECT = "insert into effects values (1)"
IN_TRANSACTION = "select holdfast.complete_in_transaction($1, $2, '42')"
CHECKPOINT = "select holdfast.save_checkpoint($1, $2, 'half', '1')"
SAVED_BY = "select attempt from holdfast.checkpoints where job_id = $1"
HELD = "select job_id, token from holdfast.held_jobs($1)"
SEEN = """
select job.*, count(*) over () as copies,
  (select count(*) from effects) as effects,
  (select count(*) from holdfast.dead_letters as d where d.job_id = $1) as letters,
  array(
    select (holdfast.has_lease(w.id), w.rescued_at is not null)::text
    from unnest($2::uuid[]) with ordinality as u (id, n)
    join holdfast.workers as w on w.id = u.id
    order by u.n
  ) as workers
from (
  select j.state, j.attempt, j.failures, j.losses, j.worker_id, j.cancel_asked_at is not null as cancel_asked
  from holdfast.jobs as j
  where j.id = $1
  union all
  select h.state, h.attempt, h.failures, h.losses, null, null
  from holdfast.history as h
  where h.id = $1
) as job
"""

LOST = "HF006"

Seen = dict[str, Any]


async def prepare(conn: Connection) -> None:
    await conn.execute("create temporary table effects (n integer) on commit drop")
    await a_queue(conn, max_losses=MAX_LOSSES, cancel_grace=GRACE)


@dataclass(slots=True)
class Answer:
    accepted: bool = True


@dataclass(slots=True)
class SqlWorld:
    """One job and its workers in the database; `tokens` are those that each worker believes in."""

    conn: Connection
    clock: Clock
    job: UUID
    workers: list[UUID]
    tokens: list[list[Running]] = field(default_factory=lambda: [[] for _ in WORKERS])
    current: Running | None = None
    claims: int = 0

    @classmethod
    async def set_up(cls, conn: Connection) -> "SqlWorld":
        options = {"max_failures": MAX_FAILURES, "retry": [DELAY.total_seconds()], "timeout": TIMEOUT}
        job = await ready_job(conn, **options)
        return cls(conn, Clock(conn), job, [await a_worker(conn, lease=LEASE) for _ in WORKERS])

    @asynccontextmanager
    async def branch(self) -> AsyncIterator["SqlWorld"]:
        """Another in which everything is as in this one; what is done in it is undone."""
        savepoint = self.conn.transaction()
        await savepoint.start()
        try:
            clock, tokens = replace(self.clock), [[*tokens] for tokens in self.tokens]
            yield replace(self, clock=clock, tokens=tokens)
        finally:
            await savepoint.rollback()

    async def do(self, step: Step) -> bool:
        """Whether the database accepted it."""
        if step.verb in ENDS or step.verb is Verb.WRITE:
            return await self._write(step)
        return await DEEDS[step.verb](self, step)

    async def seen(self) -> Seen:
        row = await self.conn.fetchrow(SEEN, self.job, self.workers)
        assert row is not None, "the job is gone"
        holder = None if row["worker_id"] is None else self.workers.index(row["worker_id"])
        if holder is None:
            self.current = None
        believed = [len(tokens) for tokens in self.tokens]
        return {**row, "worker_id": holder, "believed": believed}

    def expected(self, world: World) -> Seen:
        job = world.job
        return {
            "copies": 1,
            "state": job.state,
            "attempt": self.claims,
            "failures": job.failures,
            "losses": job.losses,
            "worker_id": job.holder,
            "cancel_asked": None if job.ends else job.cancel_asked,
            "effects": job.effects,
            "letters": job.ends.count("dead"),
            "workers": [f"({_letter(worker.lease)},{_letter(worker.rescued)})" for worker in world.workers],
            "believed": [worker.knows + worker.outdated for worker in world.workers],
        }

    async def _write(self, step: Step) -> bool:
        """With the token that counts or an outdated one, as the step says; an answer makes it drop it."""
        mine = self.tokens[step.worker]
        token = next(token for token in mine if (token is not self.current) == step.outdated)
        accepted = await self._send(step.verb, token)
        if step.heard and not (step.verb is Verb.WRITE and accepted):
            mine.remove(token)
        return accepted

    async def _send(self, verb: Verb, token: Running) -> bool:
        match verb:
            case Verb.COMPLETE_IN_TRANSACTION:
                return await self._complete_in_transaction(token)
            case Verb.WRITE:
                saved = await self.conn.fetchval(CHECKPOINT, token.id, token.token)
                return bool(saved and await self.conn.fetchval(SAVED_BY, token.id) == token.attempt)
            case Verb.FAIL:
                return await fail(self.conn, token)
            case Verb.SNOOZE:
                return await settle(self.conn, token, "snooze", {"delay": DELAY})
            case _:
                return await settle(self.conn, token, SETTLED_BY[verb])

    async def _complete_in_transaction(self, token: Running) -> bool:
        async with self._refusable() as answer:
            await self.conn.execute(EFFECT)
            await self.conn.execute(IN_TRANSACTION, token.id, token.token)
        return answer.accepted

    @asynccontextmanager
    async def _refusable(self) -> AsyncIterator[Answer]:
        """A transaction that is undone if the worker is told that it has lost its lease."""
        answer = Answer()
        try:
            async with self.conn.transaction():
                yield answer
        except asyncpg.PostgresError as exc:
            if exc.sqlstate != LOST:
                raise
            answer.accepted = False

    async def claim(self, step: Step) -> bool:
        async with self._refusable() as answer:
            self.current = await claim_one(self.conn, self.workers[step.worker])
            self.claims += 1
            if step.heard:
                self.tokens[step.worker].append(self.current)
        return answer.accepted

    async def renew(self, step: Step) -> bool:
        me = step.worker
        answer = await renew(self.conn, self.workers[me])
        if answer["rescued"] and step.heard:
            self.tokens[me].clear()
        return bool(answer["known"])

    async def release_unknown(self, step: Step) -> bool:
        me = step.worker
        (held,) = await self.conn.fetch(HELD, self.workers[me])
        unknown = Running(held["job_id"], held["token"], self.workers[me], self.claims)
        assert unknown not in self.tokens[me]
        return await settle(self.conn, unknown, "release")

    async def die(self, step: Step) -> bool:
        self.tokens[step.worker].clear()
        return True

    async def end_lease(self, step: Step) -> bool:
        await expire_worker(self.conn, self.workers[step.worker])
        return True

    async def look(self, step: Step) -> bool:
        return True  # a look changes nothing

    async def rescue(self, step: Step) -> bool:
        """Where the look was a stale one: what `rescue_lost` does under its locks with one it has found."""
        if step.accepted:
            counts = await rescue(self.conn)
            return bool(counts["recovered"] + counts["dead"] == 1)
        return await self.fence(step) and bool(await self.conn.fetch(HELD, self.workers[step.worker]))

    async def fence(self, step: Step) -> bool:
        victim = self.workers[step.worker]
        return bool(await self.conn.fetchval("select holdfast.fence_worker($1)", victim))

    async def cancel(self, step: Step) -> bool:
        return await cancel(self.conn, self.job) in ("asked", "cancelled")

    async def fence_cancelled(self, step: Step) -> bool:
        await self.clock.advance(GRACE + MOMENT)
        return bool(await self.conn.fetchval("select holdfast.fence_cancelled(1000)") == 1)

    async def time_out(self, step: Step) -> bool:
        await self.clock.advance(TIMEOUT + MOMENT)
        return bool(await self.conn.fetchval("select holdfast.stop_overdue(1000)") == 1)

    async def promote(self, step: Step) -> bool:
        await self.clock.advance(DELAY + MOMENT)
        return bool(await self.conn.fetchval("select holdfast.promote_jobs()") == 1)


def _letter(value: bool) -> str:
    return "t" if value else "f"


SETTLED_BY = {Verb.COMPLETE: "complete", Verb.RELEASE: "release", Verb.OBEY: "cancel"}
DEEDS: dict[Verb, Callable[[SqlWorld, Step], Awaitable[bool]]] = {
    Verb.CLAIM: SqlWorld.claim,
    Verb.RENEW: SqlWorld.renew,
    Verb.RELEASE_UNKNOWN: SqlWorld.release_unknown,
    Verb.DIE: SqlWorld.die,
    Verb.LEASE_END: SqlWorld.end_lease,
    Verb.LOOK: SqlWorld.look,
    Verb.RESCUE: SqlWorld.rescue,
    Verb.PASS_OVER: SqlWorld.fence,
    Verb.CANCEL: SqlWorld.cancel,
    Verb.FENCE_CANCELLED: SqlWorld.fence_cancelled,
    Verb.TIME_OUT: SqlWorld.time_out,
    Verb.DUE: SqlWorld.promote,
}
