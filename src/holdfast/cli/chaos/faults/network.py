"""Harm to the ways between the workers or producers and the database."""

import asyncio
import random

from holdfast.cli.chaos.arena import LEASE, SWEEP, Arena
from holdfast.cli.chaos.faults.fault import Fault, Place
from holdfast.cli.chaos.proxy import Link

MOMENT, MOMENTS = 0.05, 60  # until a statement of substance is sent
# Until somebody who is deaf sends the next statement of its chores, and that has waited for its timeout.
DEAF_FOR = LEASE + SWEEP


async def partition(arena: Arena, luck: random.Random) -> bool:
    """Up to two leases long; afterwards the connections go on, or turn out to be broken."""
    link = _victim(arena, luck)
    before = link.held
    link.cut()
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + 1.5 * luck.random()))
    _go_on(link, luck)
    return link.held > before


async def one_way(arena: Arena, luck: random.Random) -> bool:
    """What is sent arrives, and no answer comes; or the other way round."""
    link, is_up = _victim(arena, luck), luck.random() < 0.5
    before = link.held
    link.cut(up=is_up, down=not is_up)
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + luck.random()))
    _go_on(link, luck)
    return link.held > before


async def half_open(arena: Arena, luck: random.Random) -> bool:
    """The listener's connection among them. Nobody is told, not even afterwards: only its own heartbeat and
    timeouts can find that out. Producers are told, who have no heartbeat and must go on producing.
    """
    link = _victim(arena, luck)
    hit = link.half_open() > 0
    await asyncio.sleep(DEAF_FOR.total_seconds())
    if link is arena.links[0]:
        link.heal()
    return hit


async def reset(arena: Arena, luck: random.Random) -> bool:
    return _any(arena, luck).reset() > 0


async def lost_reply(arena: Arena, luck: random.Random) -> bool:
    """COMMIT is carried out, its answer is not: an enqueue, a claim, an end or a checkpoint."""
    link = _any(arena, luck)
    before = link.answers_lost
    link.lose_answers(luck.randint(1, 4))
    for _ in range(MOMENTS):
        await asyncio.sleep(MOMENT)
        if link.answers_lost > before:
            break
    await asyncio.sleep(luck.random())
    link.mend()
    return link.answers_lost > before


async def slow_network(arena: Arena, luck: random.Random) -> bool:
    """It hits if what somebody said or was told took so much longer."""
    before = sum(link.delayed for link in arena.links)
    for link in arena.links:
        link.slow_down(0.02 + 0.1 * luck.random())
    await asyncio.sleep(2 + 2 * luck.random())
    for link in arena.links:
        link.mend()
    return sum(link.delayed for link in arena.links) > before


def _go_on(link: Link, luck: random.Random) -> None:
    if luck.random() < 0.5:
        link.reset()
    link.mend()


def _any(arena: Arena, luck: random.Random) -> Link:
    return luck.choice(arena.links)


def _victim(arena: Arena, luck: random.Random) -> Link:
    """One behind which nobody can work for a while."""
    link = _any(arena, luck)
    arena.cut_off(link)
    return link


FAULTS = (
    Fault("partition", Place.NETWORK, partition, weight=2),
    Fault("one-way", Place.NETWORK, one_way),
    Fault("half-open", Place.NETWORK, half_open),
    Fault("reset", Place.NETWORK, reset),
    Fault("lost-reply", Place.NETWORK, lost_reply, weight=2),
    Fault("slow-network", Place.NETWORK, slow_network, is_shared=True),
)
