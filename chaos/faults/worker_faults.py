"""Faults of single workers."""

import asyncio
import os
import random
import signal
import time
from contextlib import suppress

from chaos.cluster import LEASE, Cluster
from chaos.fault_definition import Fault, Place
from holdfast import HoldfastError

PATIENCE = 3.0


async def kill_worker(cluster: Cluster, rng: random.Random) -> bool:
    pid, held = await _busy_worker(cluster, rng, cluster.supervisor.pids)
    return cluster.kill_worker(pid) and held > 0


async def stop_worker(cluster: Cluster, rng: random.Random) -> bool:
    """SIGSTOP for up to three leases: when it continues, the database must refuse all its writes."""
    pid, held = await _busy_worker(cluster, rng, cluster.supervisor.pids)
    cluster.affected.add(pid)
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(LEASE.total_seconds() * (1.5 + 1.5 * rng.random()))
    finally:
        os.kill(pid, signal.SIGCONT)
    return held > 0


async def leave_worker(cluster: Cluster, rng: random.Random) -> bool:
    """SIGTERM, sometimes twice. A worker that has not started yet has no signal handler."""
    started = await cluster.started_workers()
    pid, held = await _busy_worker(cluster, rng, [pid for pid in cluster.supervisor.pids if pid in started])
    if rng.random() < 0.3:
        os.kill(pid, signal.SIGTERM)
    await cluster.terminate_worker(pid)
    return held > 0


async def _busy_worker(cluster: Cluster, rng: random.Random, pids: list[int]) -> tuple[int, int]:
    """One of them, and how many jobs it runs. It waits for work: a fault of an idle worker proves little."""
    if not pids:
        raise HoldfastError("No worker has started.", "wait for one")
    order = rng.sample(pids, len(pids))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(HoldfastError):  # the database is down
            held = await cluster.running_jobs()
            for pid in order:
                if held.get(pid):
                    return pid, held[pid]
        await asyncio.sleep(0.02)
    return order[0], 0


FAULTS = (
    Fault("kill-worker", Place.WORKERS, kill_worker, weight=5),
    Fault("stop-worker", Place.WORKERS, stop_worker),
    Fault("leave-worker", Place.WORKERS, leave_worker, is_alone=True),
)
