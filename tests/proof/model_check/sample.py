"""A seeded choice of the schedules that the search found, some for each kind of last step."""

from collections import defaultdict
from collections.abc import Hashable
from random import Random

from tests.proof.model_check.protocol import steps
from tests.proof.model_check.search import Origins, Schedule, schedule_to
from tests.proof.model_check.world import Step, World

LOOKED_AT = 6000

Tree = dict[Step, "Tree"]


def sample(origins: Origins, seed: int, each: int) -> list[Schedule]:
    """At most `each` schedules of a kind; so rare ones are not drowned by the frequent."""
    chance = Random(seed)
    worlds = chance.sample([*origins], min(LOOKED_AT, len(origins)))
    kinds: defaultdict[Hashable, list[Schedule]] = defaultdict(list)
    for world in worlds:
        for step in steps(world):
            found = kinds[kind(world, step)]
            if len(found) < each:
                found.append((*schedule_to(world, origins), step))
    return [schedule for found in kinds.values() for schedule in found]


def kind(before: World, step: Step) -> Hashable:
    job = before.job
    return step.verb, step.accepted, step.heard, step.outdated, job.state, job.cancel_asked


def as_tree(schedules: list[Schedule]) -> Tree:
    """Each step with those that follow it."""
    tree: Tree = {}
    for schedule in schedules:
        branch = tree
        for step in schedule:
            branch = branch.setdefault(step, {})
    return tree
