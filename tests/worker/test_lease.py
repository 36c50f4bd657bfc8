"""The lease: renewed by its own thread; what happens when it cannot be, and when jobs were taken."""

import asyncio
import time
from datetime import datetime, timedelta

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.worker_list import list_workers
from holdfast.model.state import State
from holdfast.model.worker import WorkerSummary
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.outage import outage
from tests.worker.working import attempts_of, counts, ended, in_state, until, working

TWO_SECONDS = timedelta(seconds=2)
EXPIRE = "update holdfast.workers set lease_until = now() - interval '1 second' where id = $1"
RESCUE = "select recovered from holdfast.rescue_jobs()"
KEEP_LEASES = """
create table leases (worker uuid, lease_until timestamptz, at timestamptz);
create function keep_lease() returns trigger language plpgsql security definer as $$
begin
  insert into public.leases values (new.id, new.lease_until, clock_timestamp());
  return new;
end
$$;
create trigger kept after insert or update on holdfast.workers for each row execute function keep_lease();
"""


@pytest.mark.slow
@pytest.mark.alone
async def test_the_lease_is_renewed_while_a_handler_blocks_the_event_loop(app: Holdfast) -> None:
    @app.task()
    async def rude() -> int:
        block()
        return 1

    def block() -> None:
        """Not a coroutine: nothing else runs on the loop meanwhile."""
        time.sleep(1.5 * lease.total_seconds())

    lease = timedelta(seconds=4)

    handle = await rude.enqueue()
    async with working(app, lease=lease):
        assert await handle.result(timeout=PATIENCE) == 1
    job = await handle.job()
    assert (job.attempt, job.losses) == (1, 0)


@pytest.mark.slow
@pytest.mark.alone
async def test_handlers_are_cancelled_before_a_lease_that_cannot_be_renewed_could_have_ended(
    app: Holdfast, server_url: str, database_url: str
) -> None:
    """By the server's own clock, which is asked at the cancel over another database."""
    await app.database.execute(KEEP_LEASES)
    clock = await asyncpg.connect(server_url)
    cancelled_at: list[datetime] = []

    @app.task()
    async def work() -> str:
        if cancelled_at:
            return "second time"
        try:
            await asyncio.Event().wait()
        finally:
            cancelled_at.append(await clock.fetchval("select clock_timestamp()"))
        return "never"

    handle = await work.enqueue()
    async with working(app, lease=timedelta(seconds=4)) as worker:
        await until(in_state(handle, State.RUNNING))
        async with outage(server_url, database_url):
            await until(lambda: filled(cancelled_at))
        job = await ended(handle)
    await clock.close()
    (last,) = await app.database.fetch(
        "select max(lease_until) from leases where worker = $1 and at < $2", worker.id, cancelled_at[0]
    )
    assert cancelled_at[0] < last[0]
    assert (job.state, job.output, job.losses, job.failures) == (State.COMPLETED, "second time", 0, 0)


async def test_a_worker_whose_jobs_were_taken_drops_them_and_its_loss_is_forgiven(app: Holdfast) -> None:
    """Its lease is cut short in the database, as if it had been suspended for longer than the lease."""
    starts: list[int] = []

    @app.task()
    async def work() -> str:
        starts.append(1)
        if len(starts) == 1:
            await asyncio.Event().wait()
        return "second time"

    handle = await work.enqueue()
    async with working(app, lease=timedelta(seconds=6), sweep=timedelta(hours=1)) as worker:
        await until(lambda: filled(starts))
        await app.database.execute(EXPIRE, worker.id)
        assert await app.database.fetch(RESCUE)
        job = await ended(handle)
        await until(lambda: has_lost(worker))
    assert (job.state, job.output, job.attempt) == (State.COMPLETED, "second time", 2)
    assert (job.losses, job.deferrals) == (0, 1)
    assert await attempts_of(app, handle.id) == [("forgiven", None)]
    assert len(starts) == 2


async def test_a_worker_whose_row_is_gone_registers_again_and_goes_on(app: Holdfast) -> None:
    @app.task()
    async def work() -> int:
        return 1

    async with working(app, lease=TWO_SECONDS) as worker:
        await (await work.enqueue()).result(timeout=PATIENCE)
        await app.database.execute("delete from holdfast.workers where id = $1", worker.id)
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1
        # A claim that was under way when the row went may have done the job before the worker noticed.
        registered = await until(lambda: list_workers(app.database))
        assert [row.id for row in registered] == [worker.id]


async def test_the_workers_row_tells_what_it_does_and_that_it_left(app: Holdfast) -> None:
    go = asyncio.Event()

    @app.task(max_failures=1)
    async def work(fails: bool) -> None:
        if fails:
            raise ValueError("no")
        await go.wait()

    failing, waiting = await work.enqueue(True), await work.enqueue(False)
    async with working(app, lease=TWO_SECONDS, slots=7, group="g") as worker:
        await ended(failing)
        row = await until(lambda: seen_running(app))
        assert (row.id, row.group, row.slots, row.running, row.failed) == (worker.id, "g", 7, 1, 1)
        assert (row.queues, row.state) == (["default"], "working")
        assert row.memory is not None
        assert row.memory > 10_000_000
        assert row.cpu is not None
        assert row.loop_lag is not None
        go.set()
        await ended(waiting)
    (row,) = await list_workers(app.database)
    assert (row.state, row.running) == ("stopped", 0)


async def test_an_operator_can_ask_a_worker_to_leave(app: Holdfast) -> None:
    worker = Worker(app, ["default"], lease=TWO_SECONDS)
    running = asyncio.create_task(worker.run())
    await until(lambda: list_workers(app.database))
    await app.database.execute("update holdfast.workers set drain_asked = true")
    async with asyncio.timeout(PATIENCE):
        await running
    assert await counts(app) == {}


async def seen_running(app: Holdfast) -> WorkerSummary | None:
    rows = await list_workers(app.database)
    return rows[0] if rows and rows[0].running == 1 and rows[0].failed == 1 else None


async def filled(values: list[datetime] | list[int]) -> bool:
    return len(values) > 0


async def has_lost(worker: Worker) -> bool:
    return worker.report.lost == 1
