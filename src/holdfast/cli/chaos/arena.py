"""Where chaos happens: a server of its own, workers behind links, and a straight way for the judge."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from holdfast.cli.chaos.parts import all_parts
from holdfast.cli.chaos.proxy import Link
from holdfast.cli.crew import Crew
from holdfast.db.chores import make_partitions
from holdfast.db.connect import Database
from holdfast.db.migrate import migrate
from holdfast.db.statement import fetch_value
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import DatabaseUnavailable

# A short lease: chaos is about safety, and waits for many rescues.
LEASE = timedelta(seconds=2)
SWEEP = timedelta(seconds=1)
WORKER = (
    *("-A", "holdfast.cli.chaos.app:app", "--slots", "20", "--grace", "3s", "--stagger", "0s"),
    *("--lease", f"{LEASE.total_seconds():g}s", "--sweep", f"{SWEEP.total_seconds():g}s"),
)
HELD = """
select count(*)
from holdfast.jobs as j
join holdfast.workers as w on w.id = j.worker_id
where j.state = 'running'
  and w.pid = $1
"""
# Of one that has renewed its lease nobody can say that it found no database when it started.
BEGUN = "select distinct pid from holdfast.workers where renewed_at > started_at"


@dataclass(slots=True)
class Arena:
    """`links`: one for the producers, then one per worker; a successor takes over its predecessor's.

    `victims` and `deaths`: what the fault that is being done says about the workers that it harms.
    `departed`: workers that left by themselves, with their exit codes.
    """

    server: EmbeddedServer
    database: Database
    links: Sequence[Link]
    urls: Sequence[str]
    crew: Crew
    link_of: dict[int, int] = field(default_factory=dict)
    victims: set[int] = field(default_factory=set)
    deaths: dict[int, datetime] = field(default_factory=dict)
    departed: dict[int, int] = field(default_factory=dict)

    @property
    def producer_url(self) -> str:
        return self.urls[0]

    def start_worker(self, link: int) -> int:
        pid = self.crew.start({"HOLDFAST_DATABASE_URL": self.urls[link]})
        self.link_of[pid] = link
        return pid

    def kill_worker(self, pid: int) -> None:
        """And start its successor."""
        self.deaths[pid] = datetime.now(UTC)
        self.crew.kill_one(pid)
        self.start_worker(self.link_of[pid])

    async def dismiss_worker(self, pid: int) -> None:
        self.victims.add(pid)
        await self.crew.dismiss_one(pid)
        self.deaths[pid] = datetime.now(UTC)
        self.start_worker(self.link_of[pid])

    def replace_departed(self) -> None:
        """As a service manager does. A worker that finds no database when it starts says so and leaves."""
        gone = self.crew.bury()
        self.departed |= gone
        for pid in gone:
            self.start_worker(self.link_of[pid])

    async def deserters(self) -> list[str]:
        """Those that left for no good reason: once it has begun, no harm makes a worker leave by itself."""
        begun = {row["pid"] for row in await self.database.fetch(BEGUN)}
        return [
            f"worker {pid} left by itself with exit code {code}"
            for pid, code in self.departed.items()
            if code != DatabaseUnavailable.exit_code or pid in begun
        ]

    def cut_off(self, link: Link) -> None:
        """Say that the workers behind that link are harmed."""
        place = self.links.index(link)
        self.victims.update(pid for pid in self.crew.pids if self.link_of[pid] == place)

    async def held_by(self, pid: int) -> int:
        """How many jobs the worker with that process id runs."""
        return int(await fetch_value(self.database, HELD, pid))

    def heal(self) -> None:
        for link in self.links:
            link.heal()


@asynccontextmanager
async def arena(directory: Path, workers: int) -> AsyncIterator[Arena]:
    server = EmbeddedServer(directory)
    url = await asyncio.to_thread(server.start)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, server.stop)
        database = await stack.enter_async_context(Database(url, application_name="holdfast chaos"))
        await _prepare(database)
        links, urls = await _links(stack, url, workers + 1)
        logs = directory / "logs"
        logs.mkdir()
        crew = await stack.enter_async_context(Crew(WORKER, {}, logs))
        made = Arena(server, database, links, urls, crew)
        stack.callback(made.heal)
        for link in range(1, workers + 1):
            made.start_worker(link)
        await _until_ready(made, workers)
        yield made


async def _until_ready(made: Arena, workers: int) -> None:
    """Harm to workers that have not begun proves nothing."""
    begun = 0
    while begun < workers:
        made.crew.check()
        await asyncio.sleep(0.1)
        begun = int(await fetch_value(made.database, "select count(*) from holdfast.workers"))


async def _prepare(database: Database) -> None:
    async with database.connection() as connection:
        await migrate(connection)
        await make_partitions(connection)
        for part in all_parts():
            if part.tables:
                await connection.execute(part.tables)


async def _links(stack: AsyncExitStack, url: str, count: int) -> tuple[list[Link], list[str]]:
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    target = f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}"
    links = [Link(target) for _ in range(count)]
    urls = []
    for link in links:
        port = await link.open()
        stack.push_async_callback(link.close)
        urls.append(f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?sslmode=disable")
    return links, urls
