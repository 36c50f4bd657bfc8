"""Replays dead letters in bulk: paced, optionally with a canary first, and never one twice.

Each step is one transaction, so it may be interrupted at any moment. A replayed job is no longer dead,
and jobs that died since the start are left alone: to resume, start again with the same `until`.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from holdfast.client.pacer import Pacer
from holdfast.client.wait import wait_until
from holdfast.db import dead
from holdfast.db.clock import now
from holdfast.db.statement import Executor
from holdfast.model.dead_letter import LetterPlace, LetterReplays
from holdfast.model.error import InvalidOption, Timeout
from holdfast.model.id import JobId
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State

MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """`pace`: jobs per second. `canary`: this many first, one after the other; the rest if all complete."""

    filters: dict[str, Any]
    reason: str | None
    actor: str
    pace: float | None = None
    canary: int = 0
    canary_timeout: timedelta = timedelta(minutes=10)
    limit: int | None = None
    stage: str | None = None  # of their pipeline; else each starts where it ended

    def __post_init__(self) -> None:
        Pacer(self.pace)  # refuses one that is not above 0
        if self.canary < 0 or (self.limit is not None and self.limit < 0):
            raise InvalidOption("The number of jobs must be 0 or more.", "pass 0 or more")


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """`stopped` says why the rest was not replayed; None if there is no rest. `until` is for resuming."""

    until: datetime
    replayed: int = 0
    refused: Counter[ReplayResult] = field(default_factory=Counter)
    canaries: tuple[JobId, ...] = ()
    stopped: str | None = None


OnReplay = Callable[[ReplayReport], None]
# Replays up to so many letters after a place.
Take = Callable[[LetterPlace | None, int], Awaitable[LetterReplays]]


@dataclass(frozen=True, slots=True)
class ReplayPosition:
    """Where an interrupted replay continues; `canary` is the one whose end it waited for."""

    report: ReplayReport
    place: LetterPlace | None = None
    canary: JobId | None = None
    is_done: bool = False  # there are no more letters


async def replay_letters(on: Executor, plan: ReplayPlan, on_progress: OnReplay | None = None) -> ReplayReport:
    given = plan.filters.get("until")
    until = await now(on) if given is None else datetime.fromisoformat(given)
    filters = {**plan.filters, "until": until.isoformat()}

    async def take(place: LetterPlace | None, size: int) -> LetterReplays:
        return await dead.replay_letters(on, filters, place, size, plan.reason, plan.actor, plan.stage)

    return await Replay(on, plan, ReplayPosition(ReplayReport(until)), take, on_progress).run()


@dataclass(frozen=True, slots=True)
class NamedReplay:
    """`stopped` says why the jobs after the canary were not replayed; None if they were."""

    results: dict[JobId, ReplayResult]
    stopped: str | None = None


async def replay_named(
    on: Executor,
    chosen: Sequence[JobId],
    replay: Callable[[Sequence[JobId]], Awaitable[dict[JobId, ReplayResult]]],
    canary: timedelta | None = None,
) -> NamedReplay:
    """Named jobs, all in one call; with `canary` the first alone, and the rest if it completes in time."""
    if canary is None:
        return NamedReplay(await replay(chosen))
    first, *rest = chosen
    results = await replay([first])
    if results.get(first) is not ReplayResult.REPLAYED:
        return NamedReplay(results, f"The canary {first} was not replayed.")
    stopped = await canary_problem(on, first, canary)
    if stopped is None and rest:
        results |= await replay(rest)
    return NamedReplay(results, stopped)


async def canary_problem(on: Executor, job: JobId, within: timedelta) -> str | None:
    """Why a replayed job did not complete in time; None if it did."""

    async def outcome() -> State | None:
        letter = await dead.get_letter(on, job)
        return State.CANCELLED if letter is None else letter.outcome  # pruned: how it ended is not known

    try:
        ended = await wait_until(outcome, within, f"The canary {job} did not end")
    except Timeout as late:
        return late.message
    return None if ended is State.COMPLETED else f"The canary {job} ended {ended}."


class Replay:
    """`take` does each step; `on` is asked how canaries end."""

    def __init__(
        self,
        on: Executor,
        plan: ReplayPlan,
        position: ReplayPosition,
        take: Take,
        on_progress: OnReplay | None = None,
    ) -> None:
        self._on = on
        self._plan = plan
        self._report = position.report
        self._take = take
        self._on_progress = on_progress
        self._place = position.place
        self._canary = position.canary
        self._is_done = position.is_done

    async def run(self) -> ReplayReport:
        if self._canary is not None:
            await self._watch(self._canary)
        while len(self._report.canaries) < self._plan.canary and self._room(1):
            for job in await self._step(1):
                await self._watch(job)
        pacer, paced = Pacer(self._plan.pace), 0
        while size := self._room(pacer.step(MOST_AT_ONCE)):
            await pacer.keep(paced)
            paced += len(await self._step(size))
        return self._report

    def _room(self, wanted: int) -> int:
        """How many may be replayed now."""
        if self._is_done or self._report.stopped:
            return 0
        limit = self._plan.limit
        return wanted if limit is None else min(wanted, limit - self._report.replayed)

    async def _step(self, size: int) -> list[JobId]:
        """The jobs that were replayed."""
        answer = await self._take(self._place, size)
        self._place, self._is_done = answer.next, answer.next is None
        replayed = [job for job, result in answer.results.items() if result is ReplayResult.REPLAYED]
        refused = Counter(answer.results.values())
        del refused[ReplayResult.REPLAYED]
        self._tell(
            replace(
                self._report,
                replayed=self._report.replayed + len(replayed),
                refused=self._report.refused + refused,
            )
        )
        return replayed

    async def _watch(self, job: JobId) -> None:
        stopped = await canary_problem(self._on, job, self._plan.canary_timeout)
        self._tell(replace(self._report, canaries=(*self._report.canaries, job), stopped=stopped))

    def _tell(self, report: ReplayReport) -> None:
        self._report = report
        if self._on_progress is not None:
            self._on_progress(report)
