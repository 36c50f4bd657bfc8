"""Injects the faults of a schedule, and records what each did."""

import asyncio
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from chaos.cluster import Cluster
from chaos.faults import FAULTS
from chaos.output import say
from chaos.schedule import Schedule, Step
from holdfast import HoldfastError

TRIES = 3
AGAIN = 5  # times that a fault which has affected no process is injected once more at the end
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Injection:
    """A fault that was injected. `hit`: it affected a process.

    `affected`: workers that could not do their maintenance tasks during it. `deaths`: workers that it ended,
    and when.
    """

    fault: str
    began: datetime
    ended: datetime
    hit: bool
    affected: frozenset[int] = frozenset()
    deaths: Mapping[int, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FailedInjection:
    """A fault that could not be injected, and why."""

    fault: str
    why: str


@dataclass(frozen=True, slots=True)
class InjectionLog:
    injections: list[Injection] = field(default_factory=list)
    failed: list[FailedInjection] = field(default_factory=list)

    def without_hit(self, schedule: Schedule) -> list[str]:
        """The faults that have not affected a process yet."""
        hit = {injection.fault for injection in self.injections if injection.hit}
        return [name for name in schedule.faults if name not in hit]


async def inject_faults(cluster: Cluster, schedule: Schedule) -> InjectionLog:
    """Until the time is over and every fault was injected; a fault may last beyond that time."""
    log = InjectionLog()
    async with asyncio.TaskGroup() as group:
        injector = _FaultInjector(cluster, schedule, group, log)
        await injector.follow_schedule()
        for step in injector.repeats():
            await injector.take(step)
            await injector.until_quiet()
    return log


class _FaultInjector:
    def __init__(
        self, cluster: Cluster, schedule: Schedule, group: asyncio.TaskGroup, log: InjectionLog
    ) -> None:
        self._cluster = cluster
        self._schedule = schedule
        self._group = group
        self._log = log
        self._active: dict[str, asyncio.Task[None]] = {}
        self._start = time.monotonic()

    async def follow_schedule(self) -> None:
        injected: set[str] = set()
        for step in self._schedule.steps:
            is_over = self._elapsed > self._schedule.length.total_seconds()
            if is_over and injected == set(self._schedule.faults):
                break
            injected.add(step.fault)
            await self.take(step)
        await self.until_quiet()

    def repeats(self) -> Iterator[Step]:
        """The faults without a hit once more, with other random choices."""
        for number in range(AGAIN):
            for name in self._log.without_hit(self._schedule):
                seed = random.Random(f"{self._schedule.seed} {name} {number}").randrange(2**31)
                yield Step(self._elapsed, name, seed)

    async def take(self, step: Step) -> None:
        await asyncio.sleep(max(0.3, step.at - self._elapsed))
        self._active = {name: task for name, task in self._active.items() if not task.done()}
        if not self._may_overlap(step):
            await self.until_quiet()
        beside = "".join(f" beside {name}" for name in self._active)
        say(f"chaos: {self._elapsed:6.1f} s {step.fault}{beside}")
        self._cluster.restart_exited()
        self._active[step.fault] = self._group.create_task(_inject(self._cluster, step, self._log))

    async def until_quiet(self) -> None:
        """Wait until no fault is active."""
        if self._active:
            await asyncio.wait(self._active.values())
        self._active.clear()

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _may_overlap(self, step: Step) -> bool:
        fault = FAULTS[step.fault]
        return (
            step.may_overlap
            and len(self._active) < AT_ONCE
            and all(fault.goes_with(FAULTS[name]) for name in self._active)
        )


async def _inject(cluster: Cluster, step: Step, log: InjectionLog) -> None:
    # The embedded server runs on this machine, so both have the same clock.
    began = datetime.now(UTC)
    mine = cluster.for_one_fault()
    why = ""
    for _ in range(TRIES):
        try:
            hit = await FAULTS[step.fault].inject(mine, random.Random(step.seed))
        except HoldfastError as exc:
            why = exc.message
            await asyncio.sleep(0.5)  # an earlier fault has broken our own connection
        else:
            affected, deaths = frozenset(mine.affected), dict(mine.deaths)
            log.injections.append(Injection(step.fault, began, datetime.now(UTC), hit, affected, deaths))
            return
    say(f"chaos: {step.fault} could not be injected: {why}")
    log.failed.append(FailedInjection(step.fault, why))
