"""The example itself: the naive worker, two runs, a kill, four rests, two dead letters, and the verdict."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta

from examples.analysis_runs.app import QUEUE, TABLES, Life, Query, app, submit, triage
from examples.analysis_runs.assistants import Assistants
from examples.analysis_runs.checks import Evidence, judge, single_attempt_key
from examples.analysis_runs.function_platform import Platform
from examples.analysis_runs.naive import run_naive_worker
from examples.options import Options
from examples.verdict import Verdict
from holdfast import Run, Timeout
from holdfast.model.dead_letter import Triage
from holdfast.testing import FakeClock, install_fake_clock

LOOK_EVERY = 0.2
PATIENCE = 900.0

BUSY_WORKER = """
select w.pid
from holdfast.workers as w
join holdfast.jobs as j on j.worker_id = w.id
where j.state = 'running' and w."group" = 'acme'
limit 1
"""
LEFT = """
select
  (select count(*) from holdfast.jobs)
  + (select count(*) from holdfast.dead_letters where status = 'open') as things
"""
LOST_SUCCESSORS = "select body from holdfast.lost_continuations() as l (body)"
# Jobs that are ready or running wait for a lease or a successor, the others for the end of their rest.
# A rest that is over ends when the next worker looks, so its successor is due at any moment.
NEXT_EVENT = """
select case
  when bool_or(state <> 'scheduled') then interval '30 seconds'
  else greatest(min(due_at) - holdfast.now(), interval '1 second')
end as after
from holdfast.jobs
"""
# Every worker does it every few seconds; here it is not left to chance.
SUMMARISE = "select holdfast.summarise_ends()"
RUN_TIMES = "select jobs from holdfast.run_times($1)"
DELETE_ROW = "delete from answers where ctid = (select ctid from answers limit 1)"


@dataclass(frozen=True, slots=True)
class Size:
    queries: int
    others: int  # of the second run
    life: Life
    thinks: timedelta  # an assistant, for one answer


SMALL = Size(60, 12, Life(timedelta(seconds=6), 2, 2, timedelta(seconds=1)), timedelta(milliseconds=200))
FULL = Size(500, 50, Life(timedelta(seconds=25), 2, 5, timedelta(seconds=2)), timedelta(milliseconds=400))


async def play(options: Options) -> Verdict:
    async with played(options) as evidence:
        if options.plant is not None:
            await plant(options.plant, evidence)
        return await judge(app.database, evidence)


@asynccontextmanager
async def played(options: Options) -> AsyncIterator[Evidence]:
    """The naive worker and both runs, to their end."""
    size = FULL if options.full else SMALL
    with Assistants(size.thinks) as assistants, _database(options.database_url):
        async with app:
            await app.declare()
            await app.database.execute(TABLES)
            naive = await run_naive_worker(app.database, size.queries)
            options.display.say(
                f"The naive worker stopped after {naive.completed} of {size.queries} queries:"
                f" {naive.stuck} stuck, {naive.pending} never claimed."
            )
            clock = await install_fake_clock(app.database)
            await Play(options, size, clock).run(assistants.url)
            yield Evidence(size.queries + size.others, size.life.most * size.life.slots, naive, assistants)


async def plant(fault: str, evidence: Evidence) -> None:
    if fault == "delete-row":
        await app.database.execute(DELETE_ROW)
    elif fault == "double-reply":
        evidence.assistants.answer_again(await single_attempt_key(app.database, evidence.assistants))


class Play:
    """Holdfast's clock runs with the real one, and jumps over the rests in which no worker is alive."""

    def __init__(self, options: Options, size: Size, clock: FakeClock) -> None:
        self._display = options.display
        self._directory = options.directory
        self._size = size
        self._clock = clock
        self._begin = self._ticked = time.monotonic()
        self._has_killed = False

    async def run(self, assistants_url: str) -> None:
        size, life = self._size, self._size.life
        arguments = [str(life.time_box.total_seconds()), str(life.slots)]
        environment = {"ASSISTANTS_URL": assistants_url}
        with Platform(environment, self._directory, arguments, most=2 * life.most + 2) as platform:
            self._display.say(
                f"Two runs, {size.queries} queries for acme and {size.others} for globex;"
                f" workers live {life.time_box.total_seconds():.0f} s."
            )
            await self._watch([await self._submit("acme", acme_queries(size.queries), platform)], platform)

    async def _submit(self, customer: str, queries: Sequence[Query], platform: Platform) -> Run:
        """Says how long it should take, which is not known for the first run of all."""
        run = await submit(customer, queries, platform.url, self._size.life)
        self._display.say(f"Submitted for {customer}: {await run.forecast()}.")
        return run

    async def _watch(self, runs: list[Run], platform: Platform) -> None:
        with self._display.progress("queries", self._size.queries + self._size.others) as steps:
            while await self._is_busy(platform) or len(runs) == 1:
                await asyncio.sleep(LOOK_EVERY)
                await self._tick()
                progress = [await run.progress() for run in runs]
                steps.show(sum(one.ended for one in progress))
                if len(runs) == 1 and await self._has_run_times():
                    runs.append(await self._submit("globex", globex_queries(self._size.others), platform))
                if not self._has_killed and progress[0].completed >= self._size.queries // 3:
                    await self._kill_a_worker(platform)
                for letter in await app.dead.find(status=Triage.OPEN):
                    self._display.say(f"A dead letter ({letter.reason}) was {await triage(letter)}.")
                if not platform.alive:
                    await self._wake(platform)

    async def _has_run_times(self) -> bool:
        """Whether queries of the first run were counted, so that the second one gets an estimate."""
        await app.database.execute(SUMMARISE)
        (row,) = await app.database.fetch(RUN_TIMES, [QUEUE])
        return bool(row["jobs"])

    async def _is_busy(self, platform: Platform) -> bool:
        if time.monotonic() - self._begin > PATIENCE:
            raise Timeout(f"The runs did not end in {PATIENCE:.0f} s.", "try again on a less busy machine")
        (left,) = await app.database.fetch(LEFT)
        return bool(left["things"] or platform.alive)

    async def _tick(self) -> None:
        now = time.monotonic()
        await self._clock.advance(timedelta(seconds=now - self._ticked))
        self._ticked = now

    async def _kill_a_worker(self, platform: Platform) -> None:
        for row in await app.database.fetch(BUSY_WORKER):
            self._has_killed = platform.kill(row["pid"])
            self._display.say(f"A worker was killed (kill -9 {row['pid']}); its queries rest 5 minutes.")

    async def _wake(self, platform: Platform) -> None:
        """What a timer of the platform does where the last worker may be the one that died."""
        lost = await app.database.fetch(LOST_SUCCESSORS)
        for row in lost:
            platform.start(row["body"].encode())
        if lost:
            return
        (row,) = await app.database.fetch(NEXT_EVENT)
        if row["after"] is not None:
            await self._clock.advance(row["after"])
            if row["after"] > timedelta(minutes=1):
                minutes = row["after"] / timedelta(minutes=1)
                self._display.say(
                    f"No worker is alive: the clock jumps {minutes:.0f} minutes to the next rescue."
                )


def acme_queries(number: int) -> list[Query]:
    """The first tenth is urgent. One is refused for its length, and one takes its worker's memory."""
    queries = [Query(n, f"What is said about acme in market {n}?", n < number // 10) for n in range(number)]
    queries[1] = Query(1, " ".join(["What", *["exactly"] * 40, "is said about acme?"]), True)
    queries[number // 2] = Query(number // 2, "Tell everything about acme.")
    return queries


def globex_queries(number: int) -> list[Query]:
    return [Query(n, f"What is said about globex in market {n}?") for n in range(number)]


@contextmanager
def _database(url: str) -> Iterator[None]:
    """For the app in this process, and for the workers, which inherit the environment."""
    before = os.environ.get("HOLDFAST_DATABASE_URL")
    os.environ["HOLDFAST_DATABASE_URL"] = url
    try:
        yield
    finally:
        if before is None:
            del os.environ["HOLDFAST_DATABASE_URL"]
        else:
            os.environ["HOLDFAST_DATABASE_URL"] = before
