"""A run of chaos: produce and harm for a while, heal, wait until all is done, check."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.cli.chaos.app import EFFECTS, QUEUE
from holdfast.cli.chaos.check import LIVE, Report, check
from holdfast.cli.chaos.faults import Faults
from holdfast.cli.chaos.producer import Ledger, produce
from holdfast.cli.crew import Crew
from holdfast.cli.output import say
from holdfast.db.connect import Database
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import HoldfastError, Timeout

# A short lease: chaos is about safety, and waits for many rescues.
WORKER = (
    *("-A", "holdfast.cli.chaos.app:app", "--queues", QUEUE, "--slots", "20"),
    *("--lease", "2s", "--sweep", "1s", "--grace", "3s", "--stagger", "0s"),
)
PATIENCE = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class Plan:
    seed: int
    length: timedelta
    faults: Sequence[str]
    workers: int


@dataclass(frozen=True, slots=True)
class Outcome:
    report: Report
    fired: Counter[str]
    refused: int


async def run_chaos(directory: Path, plan: Plan) -> Outcome:
    luck = random.Random(plan.seed)
    server = EmbeddedServer(directory)
    async with _database(server) as (database, url):
        logs = directory / "logs"
        logs.mkdir()
        ledger, over = Ledger(), asyncio.Event()
        async with Crew(WORKER, {"HOLDFAST_DATABASE_URL": url}, logs) as crew:
            for _ in range(plan.workers):
                crew.start()
            producer = asyncio.create_task(produce(database, ledger, luck, over))
            fired = await _harm(Faults(crew, database, server), plan, luck)
            over.set()
            await producer
            say(f"chaos: over; {len(ledger.accepted)} jobs accepted, waiting for their ends")
            await _until_done(database)
        return Outcome(await check(database, ledger), fired, ledger.refused)


async def _harm(faults: Faults, plan: Plan, luck: random.Random) -> Counter[str]:
    """Every fault once, in random order, then at random until the time is over."""
    fired: Counter[str] = Counter()
    end = time.monotonic() + plan.length.total_seconds()
    waiting = luck.sample(list(plan.faults), len(plan.faults))
    while waiting or time.monotonic() < end:
        await asyncio.sleep(0.5 + luck.random() * 2)
        name = waiting.pop() if waiting else luck.choice(list(plan.faults))
        say(f"chaos: {name}")
        try:
            await faults.by_name[name]()
        except HoldfastError as exc:
            say(f"chaos: {name} was itself disturbed: {exc}")
        fired[name] += 1
    return fired


async def _until_done(database: Database) -> None:
    start = time.monotonic()
    while True:
        try:
            live = (await database.fetch(LIVE))[0]["jobs"]
        except HoldfastError:
            live = -1  # the connection was cut by the last fault; the pool makes a new one
        if live == 0:
            return
        if time.monotonic() - start > PATIENCE.total_seconds():
            raise Timeout(
                f"{live} jobs were still live {PATIENCE.total_seconds():.0f} s after the last fault."
            )
        await asyncio.sleep(0.2)


@asynccontextmanager
async def _database(server: EmbeddedServer) -> AsyncIterator[tuple[Database, str]]:
    url = await asyncio.to_thread(server.start)
    try:
        async with Database(url, application_name="holdfast chaos") as database:
            async with database.connection() as connection:
                await migrate(connection)
                await connection.execute(EFFECTS)
            yield database, url
    finally:
        await asyncio.to_thread(server.stop)
