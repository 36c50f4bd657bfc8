"""Harm to the ways between the workers or producers and the database."""

import asyncio
import random

from holdfast.cli.chaos.arena import LEASE, Arena
from holdfast.cli.chaos.faults.fault import Fault
from holdfast.cli.chaos.proxy import Link


async def partition(arena: Arena, luck: random.Random) -> bool:
    """Up to two leases long; afterwards the connections go on, or turn out to be broken."""
    link = _victim(arena, luck)
    before = link.held
    link.cut()
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + 1.5 * luck.random()))
    if luck.random() < 0.5:
        link.reset()
    link.heal()
    return link.held > before


async def one_way(arena: Arena, luck: random.Random) -> bool:
    """What is sent arrives, and no answer comes; or the other way round."""
    link, is_up = _victim(arena, luck), luck.random() < 0.5
    before = link.held
    link.cut(up=is_up, down=not is_up)
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + luck.random()))
    if luck.random() < 0.5:
        link.reset()
    link.heal()
    return link.held > before


async def half_open(arena: Arena, luck: random.Random) -> bool:
    """The listener's connection among them: only its own heartbeat can find that out."""
    link = _victim(arena, luck)
    hit = link.half_open() > 0
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + luck.random()))
    link.heal()
    return hit


async def reset(arena: Arena, luck: random.Random) -> bool:
    return _any(arena, luck).reset() > 0


async def lost_reply(arena: Arena, luck: random.Random) -> bool:
    """COMMIT is carried out, its answer is not: an enqueue, a claim, an end or a renewal."""
    link = _any(arena, luck)
    before = link.answers_lost
    link.lose_answers(luck.randint(1, 4))
    await asyncio.sleep(1 + luck.random())
    link.heal()
    return link.answers_lost > before


async def slow_network(arena: Arena, luck: random.Random) -> bool:
    for link in arena.links:
        link.slow_down(0.02 + 0.1 * luck.random())
    await asyncio.sleep(2 + 2 * luck.random())
    arena.heal()
    return True


def _any(arena: Arena, luck: random.Random) -> Link:
    return luck.choice(arena.links)


def _victim(arena: Arena, luck: random.Random) -> Link:
    """One behind which nobody can work for a while."""
    link = _any(arena, luck)
    arena.cut_off(link)
    return link


FAULTS = (
    Fault("partition", partition, weight=2),
    Fault("one-way", one_way),
    Fault("half-open", half_open),
    Fault("reset", reset),
    Fault("lost-reply", lost_reply, weight=2),
    Fault("slow-network", slow_network, is_shared=True),
)
