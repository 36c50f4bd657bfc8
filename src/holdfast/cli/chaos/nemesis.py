"""Carries out a schedule of faults, and writes down what each did."""

import asyncio
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.plan import Plan, Step
from holdfast.cli.output import say
from holdfast.model.error import HoldfastError

TRIES = 3
AGAIN = 5  # times that a fault which has hit nobody is done once more at the end
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Blow:
    """A fault that was done. `hit`: somebody was harmed by it.

    `victims`: workers that could not do their chores meanwhile. `deaths`: those that it ended, and when.
    """

    fault: str
    began: datetime
    ended: datetime
    hit: bool
    victims: frozenset[int] = frozenset()
    deaths: Mapping[int, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Miss:
    """A fault that could not be done, and why."""

    fault: str
    why: str


@dataclass(frozen=True, slots=True)
class Harm:
    blows: list[Blow] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)

    def lacking(self, plan: Plan) -> list[str]:
        """The faults that have not hit anybody yet."""
        hit = {blow.fault for blow in self.blows if blow.hit}
        return [name for name in plan.faults if name not in hit]


async def harm(arena: Arena, plan: Plan) -> Harm:
    """Until the time is over and every fault was done: faults last, so a schedule may be longer than that."""
    done = Harm()
    async with asyncio.TaskGroup() as group:
        nemesis = _Nemesis(arena, plan, group, done)
        await nemesis.follow()
        for step in nemesis.left():
            await nemesis.go(step)
            await nemesis.rest()
    return done


class _Nemesis:
    def __init__(self, arena: Arena, plan: Plan, group: asyncio.TaskGroup, done: Harm) -> None:
        self._arena = arena
        self._plan = plan
        self._group = group
        self._done = done
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._start = time.monotonic()

    async def follow(self) -> None:
        begun: set[str] = set()
        for step in self._plan.steps:
            is_over = self._elapsed > self._plan.length.total_seconds()
            if is_over and begun == set(self._plan.faults):
                break
            begun.add(step.fault)
            await self.go(step)
        await self.rest()

    def left(self) -> Iterator[Step]:
        """What has hit nobody so far once more, with other luck."""
        for number in range(AGAIN):
            for name in self._done.lacking(self._plan):
                seed = random.Random(f"{self._plan.seed} {name} {number}").randrange(2**31)
                yield Step(self._elapsed, name, seed)

    async def go(self, step: Step) -> None:
        await asyncio.sleep(max(0.3, step.at - self._elapsed))
        self._under_way = {name: task for name, task in self._under_way.items() if not task.done()}
        if not self._may_go_beside(step):
            await self.rest()
        beside = "".join(f" beside {name}" for name in self._under_way)
        say(f"chaos: {self._elapsed:6.1f} s {step.fault}{beside}")
        self._arena.replace_departed()
        self._under_way[step.fault] = self._group.create_task(_strike(self._arena, step, self._done))

    async def rest(self) -> None:
        """Until nothing is under way."""
        if self._under_way:
            await asyncio.wait(self._under_way.values())
        self._under_way.clear()

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _may_go_beside(self, step: Step) -> bool:
        fault = FAULTS[step.fault]
        return (
            step.is_beside
            and len(self._under_way) < AT_ONCE
            and all(fault.goes_with(FAULTS[name]) for name in self._under_way)
        )


async def _strike(arena: Arena, step: Step, done: Harm) -> None:
    # The embedded server runs on this machine: its clock is ours.
    began = datetime.now(UTC)
    mine = arena.aside()
    why = ""
    for _ in range(TRIES):
        try:
            hit = await FAULTS[step.fault].strike(mine, random.Random(step.seed))
        except HoldfastError as exc:
            why = exc.message
            await asyncio.sleep(0.5)  # an earlier fault still bites: our own connection was the victim
        else:
            ended = datetime.now(UTC)
            blow = Blow(step.fault, began, ended, hit, frozenset(mine.victims), dict(mine.deaths))
            done.blows.append(blow)
            return
    say(f"chaos: {step.fault} could not be done: {why}")
    done.misses.append(Miss(step.fault, why))
