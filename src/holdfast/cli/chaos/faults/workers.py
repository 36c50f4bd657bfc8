"""Harm to single workers."""

import asyncio
import os
import random
import signal
import time

from holdfast.cli.chaos.arena import LEASE, Arena
from holdfast.cli.chaos.faults.fault import Fault

PATIENCE = 1.0


async def kill_worker(arena: Arena, luck: random.Random) -> bool:
    pid, held = await _busy(arena, luck)
    arena.kill_worker(pid)
    return held > 0


async def stop_worker(arena: Arena, luck: random.Random) -> bool:
    """For up to three leases: it wakes up as a zombie whose writes must all be refused."""
    pid, _ = await _busy(arena, luck)
    arena.victims.add(pid)
    os.kill(pid, signal.SIGSTOP)
    try:
        held = await arena.held_by(pid)
        await asyncio.sleep(LEASE.total_seconds() * (1.5 + 1.5 * luck.random()))
    finally:
        os.kill(pid, signal.SIGCONT)
    return held > 0


async def leave_worker(arena: Arena, luck: random.Random) -> bool:
    """SIGTERM, sometimes twice."""
    pid, held = await _busy(arena, luck)
    if luck.random() < 0.3:
        os.kill(pid, signal.SIGTERM)
    await arena.dismiss_worker(pid)
    return held > 0


async def _busy(arena: Arena, luck: random.Random) -> tuple[int, int]:
    """A worker, and how many jobs it runs: harm to an idle one proves little, so it is waited for."""
    pid, held = luck.choice(arena.crew.pids), 0
    end = time.monotonic() + PATIENCE
    while held == 0 and time.monotonic() < end:
        held = await arena.held_by(pid)
    return pid, held


FAULTS = (
    Fault("kill-worker", kill_worker, weight=5),
    Fault("stop-worker", stop_worker),
    Fault("leave-worker", leave_worker),
)
