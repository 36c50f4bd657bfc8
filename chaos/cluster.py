"""The system under test: a server, workers behind fault proxies, and a direct connection for checks."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from chaos.api_processes import COUNT as REPLICAS
from chaos.api_processes import ApiProcesses, api_processes
from chaos.fault_proxy import FaultProxy
from chaos.postgres_proxy import proxied_postgres
from chaos.workload import POISONED
from chaos.workloads import all_workloads
from holdfast import DatabaseUnavailable
from holdfast.db.connect import Database
from holdfast.db.maintenance import make_partitions
from holdfast.db.migrate import migrate
from holdfast.db.statement import fetch_value
from holdfast.embedded import EmbeddedServer
from holdfast.testing.supervisor import Supervisor

ROOT = Path(__file__).parents[1]
# A short lease: chaos is about safety, and waits for many rescues.
LEASE = timedelta(seconds=2)
SWEEP = timedelta(seconds=1)
GRACE = timedelta(seconds=3)
# After the grace a worker lets handlers clean up, sends ends and closes its connections, each with a timeout;
# then the interpreter exits, perhaps on a busy machine.
SHUTDOWN = timedelta(seconds=20)
WORKER = (
    *("holdfast", "worker", "-A", "chaos.app:app", "--slots", "20", "--stagger", "0s"),
    *("--grace", f"{GRACE.total_seconds():g}s"),
    *("--lease", f"{LEASE.total_seconds():g}s", "--sweep", f"{SWEEP.total_seconds():g}s"),
)
RUNNING = """
select w.pid, count(*) as jobs
from holdfast.jobs as j
join holdfast.workers as w on w.id = j.worker_id
where j.state = 'running'
group by w.pid
"""
# A worker that has renewed its lease has found a database when it started.
STARTED = "select distinct pid from holdfast.workers where renewed_at > started_at"


@dataclass(slots=True)
class Cluster:
    """`proxies`: one for the producers, then one per worker, then one per replica of the API. A successor
    gets the proxy of its predecessor.

    `affected`, `deaths`: workers that the fault being injected keeps from working, or has ended.
    `exited`: workers that exited by themselves, with their exit codes. `bad_exits`: what was wrong with the
    exits of workers that got SIGTERM.
    """

    server: EmbeddedServer
    database: Database
    proxies: Sequence[FaultProxy]
    urls: Sequence[str]
    supervisor: Supervisor
    proxy_of: dict[int, int] = field(default_factory=dict)
    affected: set[int] = field(default_factory=set)
    deaths: dict[int, datetime] = field(default_factory=dict)
    exited: dict[int, int] = field(default_factory=dict)
    bad_exits: list[str] = field(default_factory=list)
    api: ApiProcesses | None = None

    def for_one_fault(self) -> "Cluster":
        """The same cluster, recording the affected and dead workers of one of several faults."""
        return replace(self, affected=set(), deaths={})

    @property
    def producer_url(self) -> str:
        return self.urls[0]

    def start_worker(self, proxy: int) -> int:
        pid = self.supervisor.start(environment={"HOLDFAST_DATABASE_URL": self.urls[proxy]}).pid
        self.proxy_of[pid] = proxy
        return pid

    def kill_worker(self, pid: int) -> bool:
        """And start its successor. False if it had exited before."""
        died = datetime.now(UTC)
        self.supervisor.kill(pid)
        code = self.supervisor.exit_codes[pid]
        self.start_worker(self.proxy_of[pid])
        if code != -signal.SIGKILL:
            self.exited[pid] = code
            return False
        self.deaths[pid] = died
        return True

    async def terminate_worker(self, pid: int, within: timedelta = GRACE + SHUTDOWN) -> None:
        """A worker must exit with 0; one that does not exit is killed, so that the run goes on."""
        self.affected.add(pid)
        has_exited = await self.supervisor.terminate(pid, within)
        self.deaths[pid] = datetime.now(UTC)
        self.start_worker(self.proxy_of[pid])
        if not has_exited:
            self.bad_exits.append(
                f"worker {pid} had not exited {within.total_seconds():g} s after SIGTERM, and was killed"
            )
        elif code := self.supervisor.exit_codes[pid]:
            self.bad_exits.append(f"worker {pid} exited with code {code} after SIGTERM")

    def restart_exited(self) -> None:
        """As a service manager does. A worker that finds no database when it starts exits with an error."""
        if self.api is not None:
            self.api.restart_exited()
        exited = self.supervisor.take_exited()
        self.exited |= exited
        for pid in exited:
            self.start_worker(self.proxy_of[pid])

    async def unexplained_exits(self) -> list[str]:
        """Once a worker has started, no fault may make it exit by itself."""
        started = await self.started_workers()
        of_api = [] if self.api is None else self.api.exited
        return of_api + [
            f"worker {pid} exited by itself with code {code}"
            for pid, code in self.exited.items()
            if code != POISONED and (code != DatabaseUnavailable.exit_code or pid in started)
        ]

    def mark_affected(self, proxy: FaultProxy) -> None:
        """The workers behind this proxy cannot work for a while."""
        place = self.proxies.index(proxy)
        self.affected.update(pid for pid in self.supervisor.pids if self.proxy_of[pid] == place)

    async def started_workers(self) -> set[int]:
        return {row["pid"] for row in await self.database.fetch(STARTED)}

    async def running_jobs(self) -> dict[int, int]:
        """How many jobs each worker runs, by its process id."""
        return {row["pid"]: row["jobs"] for row in await self.database.fetch(RUNNING)}

    def heal(self) -> None:
        for proxy in self.proxies:
            proxy.heal()


@asynccontextmanager
async def start_cluster(directory: Path, workers: int) -> AsyncIterator[Cluster]:
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, server.stop)
        database = await stack.enter_async_context(Database(url, application_name="holdfast chaos"))
        await _prepare(database)
        count = 1 + workers + REPLICAS
        proxied = [await stack.enter_async_context(proxied_postgres(url)) for _ in range(count)]
        logs = directory / "logs"
        logs.mkdir()
        supervisor = await stack.enter_async_context(Supervisor(WORKER, {}, logs, cwd=ROOT))
        proxies, urls = [proxy for proxy, _ in proxied], [through for _, through in proxied]
        made = Cluster(server, database, proxies, urls, supervisor)
        stack.callback(made.heal)
        for proxy in range(1, workers + 1):
            made.start_worker(proxy)
        await _until_started(made, workers)
        of_replicas = urls[1 + workers :]
        made.api = await stack.enter_async_context(api_processes(url, of_replicas, directory / "api", ROOT))
        yield made


async def _prepare(database: Database) -> None:
    async with database.connection() as connection:
        await migrate(connection)
        await make_partitions(connection)
        for workload in all_workloads():
            if workload.tables:
                await connection.execute(workload.tables)


async def _until_started(made: Cluster, workers: int) -> None:
    """A fault that affects a worker before it has started proves nothing."""
    started = 0
    while started < workers:
        made.supervisor.check()
        await asyncio.sleep(0.1)
        started = int(await fetch_value(made.database, "select count(*) from holdfast.workers"))
