"""Carries out a schedule of faults, and writes down what each did."""

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.plan import Plan, Step
from holdfast.cli.output import say
from holdfast.model.error import HoldfastError


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


async def harm(arena: Arena, plan: Plan) -> list[Blow]:
    """Until the time is over and every fault was done: faults last, so a schedule may be longer than that."""
    start = time.monotonic()
    blows: list[Blow] = []
    for step in plan.steps:
        is_over = time.monotonic() - start > plan.length.total_seconds()
        if is_over and {blow.fault for blow in blows} == set(plan.faults):
            break
        await asyncio.sleep(max(0.3, start + step.at - time.monotonic()))
        say(f"chaos: {time.monotonic() - start:6.1f} s {step.fault}")
        arena.replace_departed()
        blows.append(await _strike(arena, step))
    return blows


async def _strike(arena: Arena, step: Step) -> Blow:
    # The embedded server runs on this machine: its clock is ours.
    began = datetime.now(UTC)
    arena.victims.clear()
    arena.deaths.clear()
    hit = False
    for _ in range(3):
        try:
            hit = await FAULTS[step.fault].strike(arena, random.Random(step.seed))
        except HoldfastError:
            await asyncio.sleep(0.5)  # an earlier fault still bites: our own connection was the victim
        else:
            break
    ended = datetime.now(UTC)
    return Blow(step.fault, began, ended, hit, frozenset(arena.victims), dict(arena.deaths))
