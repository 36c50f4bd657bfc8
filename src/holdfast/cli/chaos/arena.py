"""Where chaos happens: a server of its own, workers behind links, and a straight way for the judge."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from holdfast.cli.chaos.part import POISONED
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
GRACE = timedelta(seconds=3)
# For what comes after the grace: handlers that clean up, ends to be sent, a goodbye to the database, each
# with a bound of its own; and an interpreter that ends on a busy machine.
GOODBYE = timedelta(seconds=20)
WORKER = (
    *("-A", "holdfast.cli.chaos.app:app", "--slots", "20", "--stagger", "0s"),
    *("--grace", f"{GRACE.total_seconds():g}s"),
    *("--lease", f"{LEASE.total_seconds():g}s", "--sweep", f"{SWEEP.total_seconds():g}s"),
)
HELD = """
select w.pid, count(*) as jobs
from holdfast.jobs as j
join holdfast.workers as w on w.id = j.worker_id
where j.state = 'running'
group by w.pid
"""
# Of one that has renewed its lease nobody can say that it found no database when it started.
BEGUN = "select distinct pid from holdfast.workers where renewed_at > started_at"


@dataclass(slots=True)
class Arena:
    """`links`: one for the producers, then one per worker; a successor takes over its predecessor's.

    `victims` and `deaths`: what the fault that is being done says about the workers that it harms.
    `departed`: workers that left by themselves, with their exit codes. `misconduct`: what those did wrong
    that were asked to leave.
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
    misconduct: list[str] = field(default_factory=list)

    def aside(self) -> "Arena":
        """The same, with a book of its own for the victims and deaths of one of several faults."""
        return replace(self, victims=set(), deaths={})

    @property
    def producer_url(self) -> str:
        return self.urls[0]

    def start_worker(self, link: int) -> int:
        pid = self.crew.start({"HOLDFAST_DATABASE_URL": self.urls[link]})
        self.link_of[pid] = link
        return pid

    def kill_worker(self, pid: int) -> bool:
        """And start its successor. False if it had left before: that is no death by this."""
        died = datetime.now(UTC)
        self.crew.kill_one(pid)
        code = self.crew.codes[pid]
        self.start_worker(self.link_of[pid])
        if code != -signal.SIGKILL:
            self.departed[pid] = code
            return False
        self.deaths[pid] = died
        return True

    async def dismiss_worker(self, pid: int, within: timedelta = GRACE + GOODBYE) -> None:
        """It is promised to leave with 0; one that does not leave at all is killed, so that chaos goes on."""
        self.victims.add(pid)
        has_left = await self.crew.dismiss_one(pid, within)
        self.deaths[pid] = datetime.now(UTC)
        self.start_worker(self.link_of[pid])
        if not has_left:
            self.misconduct.append(
                f"worker {pid} had not left {within.total_seconds():g} s after SIGTERM, and was killed"
            )
        elif code := self.crew.codes[pid]:
            self.misconduct.append(f"worker {pid} left with exit code {code} when it was asked to")

    def replace_departed(self) -> None:
        """As a service manager does. A worker that finds no database when it starts says so and leaves."""
        gone = self.crew.bury()
        self.departed |= gone
        for pid in gone:
            self.start_worker(self.link_of[pid])

    async def deserters(self) -> list[str]:
        """Those that left for no good reason: once it has begun, no harm makes a worker leave by itself."""
        begun = await self.begun()
        return [
            f"worker {pid} left by itself with exit code {code}"
            for pid, code in self.departed.items()
            if code != POISONED and (code != DatabaseUnavailable.exit_code or pid in begun)
        ]

    def cut_off(self, link: Link) -> None:
        """Say that the workers behind that link are harmed."""
        place = self.links.index(link)
        self.victims.update(pid for pid in self.crew.pids if self.link_of[pid] == place)

    async def begun(self) -> set[int]:
        return {row["pid"] for row in await self.database.fetch(BEGUN)}

    async def held(self) -> dict[int, int]:
        """How many jobs each worker runs, by its process id."""
        return {row["pid"]: row["jobs"] for row in await self.database.fetch(HELD)}

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
