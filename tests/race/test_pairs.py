"""Any two verbs at once on one job do what they would have done one after the other."""

import pytest

from tests.machine.invariants import violations
from tests.race.crowd import Crowd
from tests.race.scene import a_scene, act, seen

VERBS = ["complete", "fail", "release", "cancel", "renew", "rescue"]
# These pass over what somebody else has locked, and say so; the others wait.
PASSING = {"cancel": "busy", "rescue": "nothing"}

Outcome = tuple[str, str, object]


@pytest.mark.parametrize("second", VERBS)
@pytest.mark.parametrize("first", VERBS)
async def test_two_verbs_at_once_are_two_verbs_in_turn(crowd: Crowd, first: str, second: str) -> None:
    allowed = [await in_turn(crowd, first, second), await in_turn(crowd, second, first, swap=True)]
    if second in PASSING:
        allowed.append(await alone(crowd, first, said_by_other=PASSING[second]))
    assert await at_once(crowd, first, second, commit=True) in allowed
    assert not await violations(crowd.watcher)


@pytest.mark.parametrize("second", VERBS)
@pytest.mark.parametrize("first", VERBS)
async def test_a_verb_that_is_undone_leaves_the_job_to_the_other(
    crowd: Crowd, first: str, second: str
) -> None:
    said_alone, _, world_alone = await alone(crowd, second)
    allowed = [(said_alone, world_alone)]
    if second in PASSING:
        allowed.append((PASSING[second], await untouched(crowd)))
    _, said, world = await at_once(crowd, first, second, commit=False)
    assert (said, world) in allowed
    assert not await violations(crowd.watcher)


async def at_once(crowd: Crowd, first: str, second: str, *, commit: bool) -> Outcome:
    scene = await a_scene(crowd.watcher)
    said = await crowd.interleave(
        lambda conn: act(conn, scene, first), lambda conn: act(conn, scene, second), commit=commit
    )
    return *said, await seen(crowd.watcher, scene)


async def in_turn(crowd: Crowd, first: str, second: str, *, swap: bool = False) -> Outcome:
    scene = await a_scene(crowd.watcher)
    one = await act(crowd.watcher, scene, first)
    other = await act(crowd.watcher, scene, second)
    world = await seen(crowd.watcher, scene)
    await crowd.forget()
    return (other, one, world) if swap else (one, other, world)


async def alone(crowd: Crowd, verb: str, said_by_other: str = "") -> Outcome:
    scene = await a_scene(crowd.watcher)
    said = await act(crowd.watcher, scene, verb)
    world = await seen(crowd.watcher, scene)
    await crowd.forget()
    return said, said_by_other, world


async def untouched(crowd: Crowd) -> object:
    scene = await a_scene(crowd.watcher)
    world = await seen(crowd.watcher, scene)
    await crowd.forget()
    return world
