"""Harm to the database server."""

import asyncio
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from holdfast.cli.chaos.arena import LEASE, Arena
from holdfast.cli.chaos.faults.fault import Fault
from holdfast.db.connect import connect
from holdfast.db.errors import translated
from holdfast.embedded import EmbeddedServer

BACKENDS = """
select count(pg_terminate_backend(pid))
from (
  select pid
  from pg_stat_activity
  where backend_type = 'client backend'
    and application_name not like 'holdfast chaos%'
  order by random()
  limit $1
) as victim
"""


async def kill_database(arena: Arena, luck: random.Random) -> bool:
    """kill -9 of the postmaster; its children follow, and the next start recovers from the log."""
    return await _restart(arena, signal.SIGKILL, luck.random())


async def restart_database(arena: Arena, luck: random.Random) -> bool:
    """Fast or immediate, as an operator does it."""
    return await _restart(arena, luck.choice((signal.SIGINT, signal.SIGQUIT)), luck.random())


async def pause_database(arena: Arena, luck: random.Random) -> bool:
    """All its processes stand still, longer than a lease or not so long."""
    pids = _family(arena.server.postmaster_pid)
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(LEASE.total_seconds() * (0.3 + 1.5 * luck.random()))
    finally:
        for pid in reversed(pids):
            _signal(pid, signal.SIGCONT)
    return len(pids) > 1


async def cut_connection(arena: Arena, luck: random.Random) -> bool:
    return await _terminate(arena, 1)


async def terminate_backends(arena: Arena, luck: random.Random) -> bool:
    return await _terminate(arena, 1000)


async def long_transaction(arena: Arena, luck: random.Random) -> bool:
    """A snapshot that holds back vacuum."""
    await _hold(
        arena,
        "begin isolation level repeatable read; select count(*) from holdfast.jobs",
        3 + 3 * luck.random(),
    )
    return True


async def lock_table(arena: Arena, luck: random.Random) -> bool:
    """As a careless migration does."""
    await _hold(
        arena,
        "begin; lock table holdfast.jobs in access exclusive mode",
        luck.random() * LEASE.total_seconds(),
    )
    return True


async def _restart(arena: Arena, number: signal.Signals, pause: float) -> bool:
    pid = arena.server.postmaster_pid
    await asyncio.to_thread(_end, arena.server, pid, number)
    await asyncio.sleep(pause)
    await asyncio.to_thread(arena.server.start)
    return pid is not None


def _end(server: EmbeddedServer, pid: int | None, number: signal.Signals) -> None:
    if pid is not None:
        _signal(pid, number)
    while server.postmaster_pid is not None:
        time.sleep(0.05)


def _family(postmaster: int | None) -> list[int]:
    """The postmaster first: it makes no new process while the others are being stopped."""
    if postmaster is None:
        return []
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children")
    return [postmaster, *(int(pid) for pid in children.read_text().split())]


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


async def _terminate(arena: Arena, most: int) -> bool:
    found = await arena.database.fetch(BACKENDS, most)
    return bool(found[0][0])


async def _hold(arena: Arena, statement: str, seconds: float) -> None:
    connection = await connect(arena.database.address, "holdfast chaos, in the way")
    try:
        with translated():
            await connection.execute(statement)
        await asyncio.sleep(seconds)
    finally:
        await connection.close(timeout=5)


FAULTS = (
    Fault("kill-database", kill_database, is_shared=True),
    Fault("restart-database", restart_database, is_shared=True),
    Fault("pause-database", pause_database, is_shared=True),
    Fault("cut-connection", cut_connection),
    Fault("terminate-backends", terminate_backends, is_shared=True),
    Fault("long-transaction", long_transaction),
    Fault("lock-table", lock_table, is_shared=True),
)
