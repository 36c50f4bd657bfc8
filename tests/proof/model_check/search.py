"""Visits every world that any schedule can lead to, and tells the shortest schedule to a broken one."""

from collections import deque
from dataclasses import dataclass

from tests.proof.model_check.invariants import broken_by, broken_in
from tests.proof.model_check.protocol import steps
from tests.proof.model_check.world import Luck, Mistake, Step, Verb, World

STUCK = "nothing more goes wrong, and yet no schedule ends the job"

Schedule = tuple[Step, ...]
Origins = dict[World, tuple[World, Step] | None]


@dataclass(frozen=True, slots=True)
class Result:
    """`origins`: how each world was first reached."""

    origins: Origins
    transitions: int
    broken: str | None = None
    schedule: Schedule = ()

    def __str__(self) -> str:
        size = f"{len(self.origins)} states, {self.transitions} transitions"
        return "\n  ".join([size, *([self.broken] if self.broken else []), *map(str, self.schedule)])


def search(luck: Luck, mistake: Mistake | None = None) -> Result:
    start = World(luck)
    origins: Origins = {start: None}
    comes_from: dict[World, list[World]] = {start: []}
    waiting, transitions = deque([start]), 0
    while waiting:
        world = waiting.popleft()
        for step in steps(world, mistake):
            transitions += 1
            after, is_new = step.after, step.after not in origins
            if broken := broken_by(world, step) or (broken_in(after) if is_new else None):
                return Result(origins, transitions, broken, (*schedule_to(world, origins), step))
            if is_new:
                origins[after] = (world, step)
                comes_from[after] = []
                waiting.append(after)
            if _is_to_be_expected(world, step):
                comes_from[after].append(world)
    stuck = _stuck(comes_from)
    if stuck is not None:
        return Result(origins, transitions, STUCK, schedule_to(stuck, origins))
    return Result(origins, transitions)


def schedule_to(world: World, origins: Origins) -> Schedule:
    made: list[Step] = []
    while (origin := origins[world]) is not None:
        world, step = origin
        made.append(step)
    return tuple(reversed(made))


def _is_to_be_expected(world: World, step: Step) -> bool:
    """Neither bad luck nor somebody who cancels."""
    return step.after.luck == world.luck and step.verb is not Verb.CANCEL


def _stuck(comes_from: dict[World, list[World]]) -> World | None:
    """A world with a live worker from which no schedule leads to an end, though nothing more goes wrong."""
    good = {world for world in comes_from if world.job.ends}
    waiting = deque(good)
    while waiting:
        for before in comes_from[waiting.popleft()]:
            if before not in good:
                good.add(before)
                waiting.append(before)
    return next((world for world in comes_from if world not in good and _somebody_lives(world)), None)


def _somebody_lives(world: World) -> bool:
    return any(worker.alive for worker in world.workers)
