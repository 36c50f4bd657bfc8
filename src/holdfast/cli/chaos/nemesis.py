"""Carries out a schedule of faults, and writes down what each did."""

import asyncio
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.chaos.faults import FAULTS
from holdfast.cli.chaos.plan import Plan, Step
from holdfast.cli.output import say
from holdfast.model.error import HoldfastError


@dataclass(frozen=True, slots=True)
class Blow:
    """A fault that was done. `hit`: somebody was harmed by it."""

    fault: str
    began: datetime
    ended: datetime
    hit: bool
    pids: frozenset[int] = frozenset()  # workers that it ended


async def harm(arena: Arena, plan: Plan) -> list[Blow]:
    start = time.monotonic()
    blows = []
    for step in plan.steps:
        await asyncio.sleep(max(0.3, start + step.at - time.monotonic()))
        say(f"chaos: {time.monotonic() - start:6.1f} s {step.fault}")
        blows.append(await _strike(arena, step))
    return blows


async def _strike(arena: Arena, step: Step) -> Blow:
    # The embedded server runs on this machine: its clock is ours.
    began, before = datetime.now(UTC), set(arena.crew.pids)
    hit = False
    for _ in range(3):
        try:
            hit = await FAULTS[step.fault].strike(arena, random.Random(step.seed))
        except HoldfastError:
            await asyncio.sleep(0.5)  # an earlier fault still bites: our own connection was the victim
        else:
            break
    gone = before - set(arena.crew.pids)
    return Blow(step.fault, began, datetime.now(UTC), hit, frozenset(gone))
