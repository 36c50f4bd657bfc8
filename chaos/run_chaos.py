"""One run: enqueue jobs and inject faults for a while, heal, wait until all jobs have ended, check."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from chaos.cluster import LEASE, SWEEP, Cluster, start_cluster
from chaos.enqueue_ledger import Ledger
from chaos.fault_injector import FailedInjection, Injection, inject_faults
from chaos.final_checks import Report, check
from chaos.output import say
from chaos.recovery import Recoveries, measure
from chaos.schedule import Schedule
from chaos.worker_probe import idle_workers
from chaos.workload import Producer, Workload
from chaos.workloads import all_workloads
from holdfast import HoldfastError
from holdfast.db.connect import Database
from holdfast.db.statement import fetch_value

SETTLED = LEASE + 2 * SWEEP
PATIENCE = timedelta(minutes=2)
ENOUGH = timedelta(minutes=10)  # in addition to the faults, which last longer than planned
# A worker that was restarted at the very end must start first, perhaps on a busy machine.
PROBED = SETTLED + timedelta(seconds=40)
PAUSE = 0.4  # seconds on average between two rounds of a workload
ROUND = 8.0  # seconds; longer than any fault, so a round that takes longer has lost its connection
UNENDED = """
select (select count(*) from holdfast.jobs)
  + (select count(*) from holdfast.runs where sealed_at is not null and ended_at is null)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    report: Report
    injections: Sequence[Injection]
    recoveries: Recoveries
    failed: Sequence[FailedInjection] = ()


async def run_chaos(directory: Path, schedule: Schedule) -> Outcome:
    """Raises TimeoutError if the run does not end: other seeds are waiting."""
    async with asyncio.timeout((2 * schedule.length + ENOUGH).total_seconds()):
        return await _run(directory, schedule)


async def _run(directory: Path, schedule: Schedule) -> Outcome:
    ledger, is_over = Ledger(), asyncio.Event()
    async with start_cluster(directory, schedule.workers) as cluster:
        async with asyncio.TaskGroup() as group:
            group.create_task(_produce(cluster, ledger, schedule.seed, is_over))
            done = await inject_faults(cluster, schedule)
            cluster.heal()
            is_over.set()
        say(f"chaos: healed; {len(ledger.accepted)} jobs accepted, waiting for their ends")
        await _stop_workloads(cluster.database)
        await _until_ended(cluster)
        idle = await idle_workers(cluster.database, cluster.supervisor.pids, PROBED)
        idle += await cluster.api.unready(PROBED) if cluster.api else []
        await asyncio.sleep(SETTLED.total_seconds())
        report = await check(cluster.database, ledger, SETTLED, directory / "logs")
        report.wrong += [*idle, *cluster.bad_exits, *await cluster.unexplained_exits()]
        recoveries = await measure(cluster.database, done.injections, SETTLED)
        return Outcome(report, done.injections, recoveries, done.failed)


async def _produce(cluster: Cluster, ledger: Ledger, seed: int, is_over: asyncio.Event) -> None:
    """Each workload has its own random numbers: how fast one is served does not change what another does."""
    async with (
        Database(cluster.producer_url, pool_size=6, application_name="holdfast chaos producer") as database,
        asyncio.TaskGroup() as group,
    ):
        for workload in all_workloads():
            rng = random.Random(f"{seed} {workload.name}")
            producer = Producer(database, ledger, rng, cluster.api.replicas if cluster.api else None)
            group.create_task(_produce_rounds(workload, producer, is_over))


async def _produce_rounds(workload: Workload, producer: Producer, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        try:
            async with asyncio.timeout(ROUND):
                await workload.produce(producer)
        except TimeoutError:
            producer.ledger.disturbed += 1
        await asyncio.sleep(producer.rng.random() * 2 * PAUSE)


async def _stop_workloads(database: Database) -> None:
    for workload in all_workloads():
        while True:
            try:
                await workload.stop(database)
                break
            except HoldfastError:  # the last fault cut the connection; the pool makes a new one
                await asyncio.sleep(PAUSE)


async def _until_ended(cluster: Cluster) -> None:
    """Gives up when no job has ended for that long: the check then reports what is left."""
    unended, changed_at = -1, time.monotonic()
    while unended and time.monotonic() - changed_at < PATIENCE.total_seconds():
        await asyncio.sleep(0.2)
        cluster.restart_exited()
        found = await _unended(cluster.database)
        if found not in (-1, unended):
            unended, changed_at = found, time.monotonic()


async def _unended(database: Database) -> int:
    try:
        return int(await fetch_value(database, UNENDED))
    except HoldfastError:
        return -1  # the last fault cut the connection; the pool makes a new one
