"""Faults of the network between workers or producers and the database."""

import asyncio
import random

from chaos.cluster import LEASE, SWEEP, Cluster
from chaos.fault_definition import Fault, Place
from chaos.fault_proxy import FaultProxy

MOMENT, MOMENTS = 0.05, 60  # until a statement is sent whose answer matters
# Until a worker with half-open connections sends the next statement of its maintenance tasks, and that has
# timed out.
HALF_OPEN_FOR = LEASE + SWEEP


async def partition(cluster: Cluster, rng: random.Random) -> bool:
    """For up to two leases; afterwards the connections go on, or are reset."""
    proxy = _affected_proxy(cluster, rng)
    before = proxy.held
    proxy.partition()
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + 1.5 * rng.random()))
    _restore(proxy, rng)
    return proxy.held > before


async def one_way(cluster: Cluster, rng: random.Random) -> bool:
    """Requests arrive and no answers return, or no requests arrive."""
    proxy, blocks_requests = _affected_proxy(cluster, rng), rng.random() < 0.5
    before = proxy.held
    proxy.partition(to_server=blocks_requests, to_client=not blocks_requests)
    await asyncio.sleep(LEASE.total_seconds() * (0.5 + rng.random()))
    _restore(proxy, rng)
    return proxy.held > before


async def half_open(cluster: Cluster, rng: random.Random) -> bool:
    """The connections of a worker, its listener's too, stay half open after the fault: only its own heartbeat
    and timeouts can find that out. Producers have no heartbeat, so theirs are reset.
    """
    proxy = _affected_proxy(cluster, rng)
    hit = proxy.half_open() > 0
    await asyncio.sleep(HALF_OPEN_FOR.total_seconds())
    if proxy is cluster.proxies[0]:
        proxy.heal()
    return hit


async def reset(cluster: Cluster, rng: random.Random) -> bool:
    return _some_proxy(cluster, rng).reset() > 0


async def lost_reply(cluster: Cluster, rng: random.Random) -> bool:
    """The server commits and the answer is lost: of an enqueue, a claim, an end or a checkpoint."""
    proxy = _some_proxy(cluster, rng)
    before = proxy.answers_lost
    proxy.lose_answers(rng.randint(1, 4))
    for _ in range(MOMENTS):
        await asyncio.sleep(MOMENT)
        if proxy.answers_lost > before:
            break
    await asyncio.sleep(rng.random())
    proxy.restore()
    return proxy.answers_lost > before


async def slow_network(cluster: Cluster, rng: random.Random) -> bool:
    """It hits if data was delayed."""
    before = sum(proxy.delayed for proxy in cluster.proxies)
    for proxy in cluster.proxies:
        proxy.delay(0.02 + 0.1 * rng.random())
    await asyncio.sleep(2 + 2 * rng.random())
    for proxy in cluster.proxies:
        proxy.restore()
    return sum(proxy.delayed for proxy in cluster.proxies) > before


def _restore(proxy: FaultProxy, rng: random.Random) -> None:
    if rng.random() < 0.5:
        proxy.reset()
    proxy.restore()


def _some_proxy(cluster: Cluster, rng: random.Random) -> FaultProxy:
    return rng.choice(cluster.proxies)


def _affected_proxy(cluster: Cluster, rng: random.Random) -> FaultProxy:
    """A proxy whose clients cannot work for a while."""
    proxy = _some_proxy(cluster, rng)
    cluster.mark_affected(proxy)
    return proxy


FAULTS = (
    Fault("partition", Place.NETWORK, partition, weight=2),
    Fault("one-way", Place.NETWORK, one_way),
    Fault("half-open", Place.NETWORK, half_open),
    Fault("reset", Place.NETWORK, reset),
    Fault("lost-reply", Place.NETWORK, lost_reply, weight=2),
    Fault("slow-network", Place.NETWORK, slow_network, is_shared=True),
)
