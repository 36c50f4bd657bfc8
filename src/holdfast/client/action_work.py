"""Does a bulk action in steps, each one transaction: permission, verb, and how far it has come.

An attempt that was interrupted continues after the last step that was committed, so nothing is done twice.
An attempt whose lease was lost commits nothing: the checkpoint of its step is refused.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from holdfast.client.action_request import ActionRequest
from holdfast.client.job_actions import BUSY, BUSY_PAUSE, BUSY_TRIES, JobSelection
from holdfast.client.move import STEP, in_steps
from holdfast.client.pacer import Pacer
from holdfast.client.pager import PAGE, batched, every_letter
from holdfast.client.replay import Replay, ReplayPlan, ReplayPosition, ReplayReport
from holdfast.db import actions, dead, jobs, moves, operator
from holdfast.db.connect import Connection, Database
from holdfast.db.worker import save_checkpoint
from holdfast.model.action import ActionName, ActionStep
from holdfast.model.dead_letter import DeadLetter, LetterPlace, LetterReplays
from holdfast.model.end_attempt import Cancelled
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, Token
from holdfast.model.json_document import plain
from holdfast.model.move import Moved
from holdfast.model.payload import encode
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State

CHECKPOINT = "steps"

Results = Mapping[JobId, StrEnum]
OnProgress = Callable[[int, int | None], Awaitable[None]]


@dataclass(slots=True)
class ActionProgress:
    """How far an action has come, in the form of its checkpoint."""

    total: int | None = None
    done: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    job: str | None = None  # the last one of the last step
    died_at: str | None = None  # beside it, if it is the one of a dead letter
    canaries: list[str] = field(default_factory=list)
    watched: str | None = None  # the canary that it waits for
    stopped: str | None = None
    is_done: bool = False  # there are no more letters

    @property
    def after(self) -> JobId | None:
        return None if self.job is None else JobId(UUID(self.job))

    @property
    def place(self) -> LetterPlace | None:
        if self.died_at is None or self.after is None:
            return None
        return LetterPlace(datetime.fromisoformat(self.died_at), self.after)

    def reach(self, place: LetterPlace | None) -> None:
        self.is_done = place is None
        if place is not None:
            self.job, self.died_at = str(place.job), place.died_at.isoformat()

    def count(self, results: Mapping[str, int]) -> None:
        self.done += sum(results.values())
        self.counts = dict(Counter(self.counts) + Counter(results))

    def result(self, request: ActionRequest) -> dict[str, Any]:
        """For people: what became of the jobs."""
        found: dict[str, Any] = {"matched": self.total, "dry_run": request.is_dry, "counts": self.counts}
        if request.action is ActionName.REPLAY_DEAD_LETTERS:
            found |= {"canaries": self.canaries, "stopped": self.stopped}
        return found


class ActionWork:
    def __init__(
        self,
        database: Database,
        job: JobId,
        token: Token,
        request: ActionRequest,
        progress: ActionProgress,
        on_progress: OnProgress,
    ) -> None:
        self._database, self._job, self._token = database, job, token
        self._request, self._progress, self._on_progress = request, progress, on_progress

    async def run(self) -> dict[str, Any]:
        async with self._step() as (conn, step):
            if self._progress.total is None:
                self._progress.total = await self._count(conn, step)
        if not self._request.is_dry:
            await self._act(step)
        return self._progress.result(self._request)

    async def _act(self, step: ActionStep) -> None:
        match self._request.action:
            case ActionName.REPLAY_DEAD_LETTERS:
                await self._replay_letters(step)
            case ActionName.RESOLVE_DEAD_LETTERS:
                await self._resolve_letters(step)
            case ActionName.MOVE:
                await self._move()
            case _:
                async for batch in self._selection.paced(self._database, self._request.pace):
                    await self._unless_busy(batch)

    async def _count(self, conn: Connection, step: ActionStep) -> int:
        request = self._request
        match request.action:
            case ActionName.REPLAY_DEAD_LETTERS:
                found = await dead.count_replayable(conn, self._letters(step))
            case ActionName.RESOLVE_DEAD_LETTERS:
                found = await dead.count_letters(conn, self._letters(step))
            case ActionName.MOVE:
                found = await jobs.count_matching(conn, request.filters, {State.READY, State.SCHEDULED})
            case _:
                found = await self._selection.count(conn)
        return found if request.limit is None else min(found, request.limit)

    @property
    def _selection(self) -> JobSelection:
        """Jobs that were enqueued after the action are left alone: else it might never end."""
        request = self._request
        return JobSelection((), request.filters, request.states, after=self._progress.after, newest=self._job)

    def _letters(self, step: ActionStep) -> dict[str, Any]:
        """Jobs that died after the action was asked for are left alone, those that it replayed included."""
        given = self._request.filters.get("until")
        until = step.asked_at if given is None else min(step.asked_at, datetime.fromisoformat(given))
        return {**self._request.filters, "until": until.isoformat()}

    async def _unless_busy(self, batch: list[JobId]) -> None:
        """While a worker settles one of the jobs, the step is undone and tried again."""
        for tries in range(BUSY_TRIES + 1):
            try:
                async with self._step(batch) as (conn, step):
                    results = await self._verb(conn, step.allowed or [], step.actor)
                    if BUSY in results.values() and tries < BUSY_TRIES:
                        raise _BusyJobs
                    self._progress.count(Counter(str(result) for result in results.values()))
                    self._progress.job = str(batch[-1])
                return
            except _BusyJobs:
                await asyncio.sleep(BUSY_PAUSE)

    async def _verb(self, conn: Connection, batch: Sequence[JobId], actor: str) -> Results:
        request, reason = self._request, self._request.reason
        match request.action:
            case ActionName.CANCEL:
                return await jobs.cancel_jobs(conn, batch, reason, actor)
            case ActionName.REPLAY:
                return await jobs.replay_jobs(conn, batch, reason, actor, request.stage)
            case ActionName.RECLAIM:
                return await operator.reclaim(conn, batch, reason, actor)
            case ActionName.COMPLETE:
                return await operator.complete_as_operator(conn, batch, request.output, reason, actor)
            case ActionName.FAIL:
                return await operator.fail_as_operator(conn, batch, reason, actor)
            case _:
                return await operator.set_priority(conn, batch, request.priority, reason, actor)

    async def _replay_letters(self, begun: ActionStep) -> None:
        request, progress, filters = self._request, self._progress, self._letters(begun)
        plan = ReplayPlan(
            filters,
            request.reason,
            begun.actor,
            request.pace,
            request.canary,
            request.canary_timeout,
            request.limit,
            request.stage,
        )

        async def take(place: LetterPlace | None, size: int) -> LetterReplays:
            async with self._step() as (conn, step):
                answer = await dead.replay_letters(
                    conn, filters, place, size, request.reason, step.actor, request.stage
                )
                progress.count(Counter(str(result) for result in answer.results.values()))
                progress.reach(answer.next)
                replayed = [job for job, found in answer.results.items() if found is ReplayResult.REPLAYED]
                is_canary = bool(replayed) and len(progress.canaries) < request.canary
                progress.watched = str(replayed[0]) if is_canary else None
            return answer

        def tell(report: ReplayReport) -> None:
            progress.canaries = [str(job) for job in report.canaries]
            progress.stopped = report.stopped

        await Replay(self._database, plan, self._position(begun), take, tell).run()

    def _position(self, begun: ActionStep) -> ReplayPosition:
        progress = self._progress
        canaries = tuple(JobId(UUID(one)) for one in progress.canaries)
        replayed = progress.counts.get(ReplayResult.REPLAYED, 0)
        report = ReplayReport(begun.asked_at, replayed, Counter(), canaries, progress.stopped)
        watched = None if progress.watched is None else JobId(UUID(progress.watched))
        unknown = None if watched in canaries else watched
        return ReplayPosition(report, progress.place, unknown, progress.is_done)

    async def _resolve_letters(self, begun: ActionStep) -> None:
        request, pacer = self._request, Pacer(self._request.pace)
        letters = every_letter(self._database, self._letters(begun), PAGE, self._progress.place)
        before = self._progress.done
        async for batch in batched(letters, pacer.step(PAGE)):
            await pacer.keep(self._progress.done - before)
            await self._resolve(batch, request)

    async def _resolve(self, batch: list[DeadLetter], request: ActionRequest) -> None:
        async with self._step() as (conn, step):
            ids = [letter.job for letter in batch]
            changed = await dead.triage_letters(conn, ids, request.status, None, request.reason, step.actor)
            self._progress.count({str(request.status): len(changed)})
            self._progress.reach(LetterPlace(batch[-1].died_at, batch[-1].job))

    async def _move(self) -> None:
        request, pacer, before = self._request, Pacer(self._request.pace), self._progress.done

        async def move(most: int) -> Moved:
            await pacer.keep(self._progress.done - before)
            async with self._step() as (conn, step):
                source = request.filters["queue"]
                moved = await moves.move_jobs(conn, source, request.to, most, request.reason, step.actor)
                self._progress.count({"ready": moved.ready, "scheduled": moved.scheduled})
            return moved

        await in_steps(move, (request.limit or 0) - before, pacer.step(STEP))

    @asynccontextmanager
    async def _step(
        self, batch: Sequence[JobId] | None = None
    ) -> AsyncIterator[tuple[Connection, ActionStep]]:
        async with self._database.transaction() as conn:
            step = await actions.begin_step(conn, self._job, self._token, batch)
            if step.is_cancelled:
                raise Cancelled
            yield conn, step
            kept = encode(plain(self._progress))
            if not await save_checkpoint(conn, self._job, self._token, CHECKPOINT, kept):
                raise LeaseLost(f"This worker no longer holds the action {self._job}.")
        await self._on_progress(self._progress.done, self._progress.total)


class _BusyJobs(Exception):
    """Undoes a step."""
