"""Harm to single workers."""

import asyncio
import os
import random
import signal
import time
from contextlib import suppress

from holdfast.cli.chaos.arena import LEASE, Arena
from holdfast.cli.chaos.faults.fault import Fault, Place
from holdfast.model.error import HoldfastError

PATIENCE = 3.0


async def kill_worker(arena: Arena, luck: random.Random) -> bool:
    pid, held = await _busy(arena, luck, arena.crew.pids)
    return arena.kill_worker(pid) and held > 0


async def stop_worker(arena: Arena, luck: random.Random) -> bool:
    """For up to three leases: it wakes up as a zombie whose writes must all be refused."""
    pid, held = await _busy(arena, luck, arena.crew.pids)
    arena.victims.add(pid)
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(LEASE.total_seconds() * (1.5 + 1.5 * luck.random()))
    finally:
        os.kill(pid, signal.SIGCONT)
    return held > 0


async def leave_worker(arena: Arena, luck: random.Random) -> bool:
    """SIGTERM, sometimes twice. One that has not begun would not know yet what that means."""
    begun = await arena.begun()
    pid, held = await _busy(arena, luck, [pid for pid in arena.crew.pids if pid in begun])
    if luck.random() < 0.3:
        os.kill(pid, signal.SIGTERM)
    await arena.dismiss_worker(pid)
    return held > 0


async def _busy(arena: Arena, luck: random.Random, pids: list[int]) -> tuple[int, int]:
    """One of them, and how many jobs it runs: harm to an idle one proves little, so work is waited for."""
    if not pids:
        raise HoldfastError("No worker has begun.", "wait for one")
    order = luck.sample(pids, len(pids))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(HoldfastError):  # nobody can say while the database is away
            held = await arena.held()
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
