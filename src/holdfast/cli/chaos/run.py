"""A run of chaos: produce and harm for a while, heal, wait until all is done, check."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.cli.chaos.arena import LEASE, SWEEP, Arena, arena
from holdfast.cli.chaos.check import Report, check
from holdfast.cli.chaos.ledger import Ledger
from holdfast.cli.chaos.nemesis import Blow, Miss, harm
from holdfast.cli.chaos.plan import Plan
from holdfast.cli.chaos.probe import idlers
from holdfast.cli.chaos.producer import produce
from holdfast.cli.chaos.recovery import Recoveries, measure
from holdfast.cli.output import say
from holdfast.db.connect import Database
from holdfast.db.statement import fetch_value
from holdfast.model.error import HoldfastError

SETTLED = LEASE + 2 * SWEEP
PATIENCE = timedelta(minutes=2)
ENOUGH = timedelta(minutes=10)  # besides the harm, which lasts longer than planned
# A worker that was replaced at the very end must start first, perhaps on a busy machine.
PROBED = SETTLED + timedelta(seconds=40)
UNDONE = """
select (select count(*) from holdfast.jobs)
  + (select count(*) from holdfast.runs where sealed_at is not null and ended_at is null)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    report: Report
    blows: Sequence[Blow]
    recoveries: Recoveries
    misses: Sequence[Miss] = ()


async def run_chaos(directory: Path, plan: Plan) -> Outcome:
    """One that does not come to its end is broken off: there are other seeds."""
    async with asyncio.timeout((2 * plan.length + ENOUGH).total_seconds()):
        return await _run(directory, plan)


async def _run(directory: Path, plan: Plan) -> Outcome:
    ledger, over = Ledger(), asyncio.Event()
    async with arena(directory, plan.workers) as place:
        async with asyncio.TaskGroup() as group:
            group.create_task(produce(place.producer_url, ledger, plan.seed, over))
            done = await harm(place, plan)
            place.heal()
            over.set()
        say(f"chaos: healed; {len(ledger.accepted)} jobs accepted, waiting for their ends")
        await _until_done(place)
        idle = await idlers(place.database, place.crew.pids, PROBED)
        await asyncio.sleep(SETTLED.total_seconds())
        report = await check(place.database, ledger, SETTLED, directory / "logs")
        report.wrong += [*idle, *place.misconduct, *await place.deserters()]
        return Outcome(report, done.blows, await measure(place.database, done.blows, SETTLED), done.misses)


async def _until_done(place: Arena) -> None:
    """Gives up when nothing has ended for that long: the check then tells what is left."""
    undone, changed_at = -1, time.monotonic()
    while undone and time.monotonic() - changed_at < PATIENCE.total_seconds():
        await asyncio.sleep(0.2)
        place.replace_departed()
        found = await _undone(place.database)
        if found not in (-1, undone):
            undone, changed_at = found, time.monotonic()


async def _undone(database: Database) -> int:
    try:
        return int(await fetch_value(database, UNDONE))
    except HoldfastError:
        return -1  # the connection was cut by the last fault; the pool makes a new one
