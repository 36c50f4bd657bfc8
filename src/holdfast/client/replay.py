"""Replays dead letters in bulk: paced, a canary first if wanted, and never one twice.

Each step is one transaction, so it may be interrupted at any moment. What was replayed is not dead any more,
and what died since the start is left alone: to resume, start again with the same `until`.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from holdfast.client.wait import wait_until
from holdfast.db import dead
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.dead_letter import LetterPlace
from holdfast.model.error import InvalidOption, Timeout
from holdfast.model.id import JobId
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State

NOW = "select holdfast.now()"
MOST_AT_ONCE = 500
STEPS_PER_SECOND = 4.0  # a slower pace than this replays one by one


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """`pace`: jobs per second. `canary`: so many first, one after the other, and the rest if all complete."""

    filters: dict[str, Any]
    reason: str | None
    actor: str
    pace: float | None = None
    canary: int = 0
    canary_timeout: timedelta = timedelta(minutes=10)
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.pace is not None and not self.pace > 0:
            raise InvalidOption(f"A pace of {self.pace} is not possible.", "give jobs per second, above 0")
        if self.canary < 0 or (self.limit is not None and self.limit < 0):
            raise InvalidOption("A number of jobs cannot be negative.", "give 0 or more")


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """`stopped` says why the rest was left alone; None if there is no rest. `until` is for resuming."""

    until: datetime
    replayed: int = 0
    refused: Counter[ReplayResult] = field(default_factory=Counter)
    canaries: tuple[JobId, ...] = ()
    stopped: str | None = None


OnReplay = Callable[[ReplayReport], None]


async def replay_letters(on: Executor, plan: ReplayPlan, on_progress: OnReplay | None = None) -> ReplayReport:
    given = plan.filters.get("until")
    until = await fetch_value(on, NOW) if given is None else datetime.fromisoformat(given)
    filters = {**plan.filters, "until": until.isoformat()}
    return await _Replay(on, replace(plan, filters=filters), ReplayReport(until), on_progress).run()


class _Replay:
    def __init__(
        self, on: Executor, plan: ReplayPlan, report: ReplayReport, on_progress: OnReplay | None
    ) -> None:
        self._on = on
        self._plan = plan
        self._report = report
        self._on_progress = on_progress
        self._place: LetterPlace | None = None
        self._is_done = False

    async def run(self) -> ReplayReport:
        while len(self._report.canaries) < self._plan.canary and self._room(1):
            for job in await self._step(1):
                await self._watch(job)
        began = time.monotonic()
        paced = 0
        while size := self._room(self._step_size()):
            paced += len(await self._step(size))
            await self._keep_pace(began, paced)
        return self._report

    def _room(self, wanted: int) -> int:
        """How many may be replayed now."""
        if self._is_done or self._report.stopped:
            return 0
        limit = self._plan.limit
        return wanted if limit is None else min(wanted, limit - self._report.replayed)

    def _step_size(self) -> int:
        pace = self._plan.pace
        return MOST_AT_ONCE if pace is None else max(1, min(MOST_AT_ONCE, int(pace / STEPS_PER_SECOND)))

    async def _step(self, size: int) -> list[JobId]:
        """Those that live again."""
        plan = self._plan
        answer = await dead.replay_letters(self._on, plan.filters, self._place, size, plan.reason, plan.actor)
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
        try:
            outcome = await wait_until(
                lambda: self._outcome(job), self._plan.canary_timeout, f"The canary {job} did not end"
            )
        except Timeout as late:
            stopped: str | None = late.message
        else:
            stopped = None if outcome is State.COMPLETED else f"The canary {job} ended {outcome}."
        self._tell(replace(self._report, canaries=(*self._report.canaries, job), stopped=stopped))

    async def _outcome(self, job: JobId) -> State | None:
        letter = await dead.get_letter(self._on, job)
        return State.CANCELLED if letter is None else letter.outcome  # pruned: nobody will ever know

    async def _keep_pace(self, began: float, replayed: int) -> None:
        if self._plan.pace is not None and not self._is_done:
            await asyncio.sleep(max(0.0, began + replayed / self._plan.pace - time.monotonic()))

    def _tell(self, report: ReplayReport) -> None:
        self._report = report
        if self._on_progress is not None:
            self._on_progress(report)
