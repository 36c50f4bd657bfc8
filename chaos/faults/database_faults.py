"""Faults of the database server."""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from chaos.cluster import LEASE, Cluster
from chaos.fault_definition import Fault, Place
from holdfast.db.connect import connect
from holdfast.db.database_errors import BROKEN, translated
from holdfast.db.statement import fetch_value
from holdfast.embedded import EmbeddedError, EmbeddedServer

STOPPING = 30.0  # seconds that a server has to stop; then it is killed
STARTS = 3

BACKENDS = """
select count(pg_terminate_backend(pid))
from (
  select pid
  from pg_stat_activity
  where backend_type = 'client backend'
    and application_name not like 'holdfast chaos%'
  order by random()
  limit $1
) as chosen
"""
SNAPSHOT = "begin isolation level repeatable read; select count(*) from holdfast.jobs"
LOCK = "begin; lock table holdfast.jobs in access exclusive mode"
# Not counted: the session that holds the lock, which does not wait, and autovacuum.
WAITING = """
select count(*)
from pg_locks as l
join pg_stat_activity as a using (pid)
where l.relation = 'holdfast.jobs'::regclass
  and l.database = (select oid from pg_database where datname = current_database())
  and not l.granted
  and a.backend_type = 'client backend'
"""
ENDED = "select count(*) from holdfast.history"
# How many transactions ago the snapshot was taken; null if the session holds none.
HELD_BACK = "select coalesce(age(backend_xmin), 0) from pg_stat_activity where pid = $1"


async def kill_database(cluster: Cluster, rng: random.Random) -> bool:
    """kill -9 of the postmaster; its children follow, and the next start recovers from the log."""
    return await _restart(cluster, signal.SIGKILL, rng.random())


async def restart_database(cluster: Cluster, rng: random.Random) -> bool:
    """Fast or immediate, as an operator does it."""
    return await _restart(cluster, rng.choice((signal.SIGINT, signal.SIGQUIT)), rng.random())


async def pause_database(cluster: Cluster, rng: random.Random) -> bool:
    """SIGSTOP for all its processes, for less or more than a lease."""
    pids = _family(cluster.server.postmaster_pid)
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(LEASE.total_seconds() * (0.3 + 1.5 * rng.random()))
    finally:
        for pid in reversed(pids):
            _signal(pid, signal.SIGCONT)
    return len(pids) > 1


async def cut_connection(cluster: Cluster, rng: random.Random) -> bool:
    return await _terminate(cluster, 1)


async def terminate_backends(cluster: Cluster, rng: random.Random) -> bool:
    return await _terminate(cluster, 1000)


async def long_transaction(cluster: Cluster, rng: random.Random) -> bool:
    """A snapshot that holds back vacuum. It hits if jobs ended behind it, whose dead rows must stay."""
    async with _blocking_session(cluster, SNAPSHOT) as pid:
        before = await fetch_value(cluster.database, ENDED)
        await asyncio.sleep(3 + 3 * rng.random())
        held_back = await fetch_value(cluster.database, HELD_BACK, pid)
        ended = await fetch_value(cluster.database, ENDED) - before
        return bool(held_back > 0 and ended > 0)


async def lock_table(cluster: Cluster, rng: random.Random) -> bool:
    """As a careless migration does. It hits if a statement waited for it."""
    waiting = 0
    async with _blocking_session(cluster, LOCK):
        end = time.monotonic() + (0.15 + 0.85 * rng.random()) * LEASE.total_seconds()
        while time.monotonic() < end:
            await asyncio.sleep(0.05)
            waiting = max(waiting, await fetch_value(cluster.database, WAITING))
    return waiting > 0


async def _restart(cluster: Cluster, number: signal.Signals, pause: float) -> bool:
    pid = cluster.server.postmaster_pid
    await asyncio.to_thread(_end, cluster.server, pid, number)
    await asyncio.sleep(pause)
    await asyncio.to_thread(_start, cluster.server)
    return pid is not None


def _end(server: EmbeddedServer, pid: int | None, number: signal.Signals) -> None:
    if pid is None:
        return
    _signal(pid, number)
    end = time.monotonic() + STOPPING
    while server.postmaster_pid is not None:
        time.sleep(0.05)
        if time.monotonic() > end:
            _signal(pid, signal.SIGKILL)


def _start(server: EmbeddedServer) -> None:
    for _ in range(STARTS - 1):
        with suppress(EmbeddedError):  # the old server's socket or memory is still in use
            server.start()
            return
        time.sleep(0.5)
    server.start()


def _family(postmaster: int | None) -> list[int]:
    """The postmaster first: it makes no new process while the others are being stopped."""
    if postmaster is None:
        return []
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children")
    return [postmaster, *(int(pid) for pid in children.read_text().split())]


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


async def _terminate(cluster: Cluster, most: int) -> bool:
    found = await cluster.database.fetch(BACKENDS, most)
    return bool(found[0][0])


@asynccontextmanager
async def _blocking_session(cluster: Cluster, statement: str) -> AsyncIterator[int]:
    """A session that has run this statement and keeps its transaction open; its process id."""
    connection = await connect(cluster.database.address, "holdfast chaos, blocking")
    try:
        with translated():
            await connection.execute(statement)
        yield connection.get_server_pid()
    finally:
        with suppress(*BROKEN):
            await connection.close(timeout=5)


FAULTS = (
    Fault("kill-database", Place.DATABASE, kill_database, is_shared=True),
    Fault("restart-database", Place.DATABASE, restart_database, is_shared=True),
    Fault("pause-database", Place.DATABASE, pause_database, is_shared=True),
    Fault("cut-connection", Place.DATABASE, cut_connection),
    Fault("terminate-backends", Place.DATABASE, terminate_backends, is_shared=True),
    Fault("long-transaction", Place.DATABASE, long_transaction),
    Fault("lock-table", Place.DATABASE, lock_table, is_shared=True),
)
