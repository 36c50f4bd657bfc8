"""Visits every world that any schedule can lead to, and tells the shortest schedule to a broken one."""

from collections import deque
from dataclasses import dataclass

from tests.proof.model_check.protocol import MAX_FAILURES, MAX_LOSSES, Job, Luck, Rules, Step, World, steps


@dataclass(frozen=True, slots=True)
class Result:
    states: int
    transitions: int
    broken: str | None = None
    schedule: tuple[str, ...] = ()


def search(rules: Rules, luck: Luck | None = None) -> Result:
    start = World(luck=luck or Luck())
    came_from: dict[World, tuple[World, str] | None] = {start: None}
    leads_to: dict[World, list[World]] = {}
    waiting, transitions = deque([start]), 0
    while waiting:
        world = waiting.popleft()
        leads_to[world] = []
        for step in steps(world, rules):
            transitions += 1
            if broken := broken_by(world, step):
                schedule = (*_schedule(came_from, world), step.name)
                return Result(len(came_from), transitions, broken, schedule)
            leads_to[world].append(step.after)
            if step.after not in came_from:
                came_from[step.after] = (world, step.name)
                waiting.append(step.after)
    stuck = _stuck(leads_to)
    if stuck is not None:
        return Result(len(came_from), transitions, "no schedule ends the job", _schedule(came_from, stuck))
    return Result(len(came_from), transitions)


def broken_by(before: World, step: Step) -> str | None:
    job = step.after.job
    wrong = {
        "a transactional effect without its completion": job.effects > int(job.ends == ("completed",)),
        "a job has two ends": len(job.ends) > 1,
        "an ended job went on": bool(before.job.ends) and job != before.job,
        "running without worker and token, or the other way round": not _is_leased_well(job),
        "dead without a dead letter, or the other way round": job.letters != job.ends.count("dead"),
        "more failures than allowed": job.failures > MAX_FAILURES,
        "more losses than allowed": job.losses > MAX_LOSSES,
        "a loss that does not count": step.robbed is not None and job.losses == before.job.losses,
        "an outdated token changed something": _is_outdated(before, step) and job != before.job,
        "a live worker was robbed": step.robbed is not None and before.workers[step.robbed].lease,
        "the attempt number fell": job.attempt < before.job.attempt,
    }
    return next((name for name, is_so in wrong.items() if is_so), None)


def _is_leased_well(job: Job) -> bool:
    return (job.state == "running") == (job.token is not None) == (job.worker is not None)


def _is_outdated(before: World, step: Step) -> bool:
    return step.by is not None and step.by != before.job.token


def _stuck(leads_to: dict[World, list[World]]) -> World | None:
    """A world from which no schedule, however lucky, leads to an end, unless somebody cancels the job."""
    comes_from: dict[World, list[World]] = {world: [] for world in leads_to}
    for world, nexts in leads_to.items():
        for after in nexts:
            if after.job.ends != ("cancelled",):
                comes_from[after].append(world)
    good = {world for world in leads_to if world.job.ends}
    waiting = deque(good)
    while waiting:
        for before in comes_from[waiting.popleft()]:
            if before not in good:
                good.add(before)
                waiting.append(before)
    return next((world for world in leads_to if world not in good and not world.job.cancel_asked), None)


def _schedule(came_from: dict[World, tuple[World, str] | None], world: World) -> tuple[str, ...]:
    names: list[str] = []
    while (origin := came_from[world]) is not None:
        world, name = origin
        names.append(name)
    return tuple(reversed(names))
