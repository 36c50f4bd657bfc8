"""The core of the suite through pgbouncer in transaction mode: nothing of ours needs a session."""

import asyncio
import traceback
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.invariants import check_invariants
from holdfast.db.migrate import migrate
from holdfast.model.error import DatabaseError, UniqueConflict
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from tests.cli.command import holdfast
from tests.patience import PATIENCE
from tests.proof.pooler import pooled
from tests.worker.working import ended, working

pytestmark = pytest.mark.alone


@pytest.fixture
async def pooled_url(database_url: str) -> AsyncIterator[str]:
    with TemporaryDirectory(prefix="hf-") as directory:
        async with pooled(database_url, Path(directory)) as url:
            yield url


@pytest.fixture
async def app(pooled_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(pooled_url, name="pooled") as opened:
        yield opened


async def test_jobs_go_through_a_pooler_from_enqueue_to_result(app: Holdfast) -> None:
    @app.task()
    async def double(n: int) -> int:
        return 2 * n

    async with working(app):
        handles = await double.enqueue_many(double.call(n) for n in range(200))
        assert [await handle.result(timeout=PATIENCE) for handle in handles] == [2 * n for n in range(200)]
    assert await check_invariants(app.database) == []


async def test_failures_steps_and_effects_hold_through_a_pooler(app: Holdfast) -> None:
    await app.database.execute("create table effects (job uuid)")
    done: list[int] = []

    async def one() -> int:
        done.append(1)
        return 1

    @app.task(retry=[0, 0])
    async def work(ctx: JobContext) -> None:
        await ctx.step("one", one)
        if ctx.attempt == 1:
            raise RuntimeError("once")
        async with ctx.transaction() as tx:
            await tx.execute("insert into effects values ($1)", ctx.id)
            tx.output = "done"

    async with working(app):
        job = await ended(await work.enqueue())
    assert (job.state, job.output, job.failures) == (State.COMPLETED, "done", 1)
    assert (done, len(await app.database.fetch("select * from effects"))) == ([1], 1)


async def test_the_same_unique_key_at_once_is_one_job_through_a_pooler(app: Holdfast) -> None:
    @app.task()
    async def work(n: int) -> None: ...

    keyed = work.options(unique_key="once")
    handles = await asyncio.gather(*(keyed.enqueue(1) for _ in range(50)))
    assert len({handle.id for handle in handles}) == 1
    with pytest.raises(UniqueConflict):
        await keyed.enqueue(2)


async def test_a_lost_worker_behind_a_pooler_is_rescued(app: Holdfast) -> None:
    @app.task()
    async def work() -> str:
        return "done"

    handle = await work.enqueue()
    async with app.database.connection() as conn:
        await conn.execute(
            """select holdfast.register_worker(gen_random_uuid(), '{default}', '{"lease": 1}')"""
        )
        await conn.execute("select holdfast.claim_jobs((select id from holdfast.workers limit 1), 1)")
    assert await handle.status() is State.RUNNING
    async with working(app, sweep=timedelta(milliseconds=200)):
        assert await handle.result(timeout=PATIENCE) == "done"
    assert (await handle.job()).losses == 1


@pytest.mark.slow
async def test_with_a_direct_url_notifications_go_past_the_pooler(database_url: str, pooled_url: str) -> None:
    def levels(direct_url: str = "") -> dict[str, str]:
        done = holdfast("doctor", "--json", url=pooled_url, HOLDFAST_DIRECT_URL=direct_url)
        found = done.document["findings"]
        return {one["check"]: one["level"] for one in found if one["check"] in ("pooler", "notify")}

    assert (await asyncio.to_thread(levels))["pooler"] == "note"
    direct = await asyncio.to_thread(levels, database_url)
    assert direct == {"pooler": "ok", "notify": "ok"}


@pytest.mark.slow
async def test_a_migration_runs_through_a_pooler(empty_database_url: str) -> None:
    with TemporaryDirectory(prefix="hf-") as directory:
        async with pooled(empty_database_url, Path(directory)) as url, Database(url) as database:
            async with database.connection() as conn:
                assert (await migrate(conn)).applied
            assert await check_invariants(database) == []


async def test_a_pooler_that_was_not_named_is_told_of_and_how_to_name_it(pooled_url: str) -> None:
    plain = pooled_url.removesuffix("&pgbouncer=true")
    async with Holdfast(plain) as app:
        await app.jobs()  # prepared on the only connection to the server, which the next line takes
        other = await asyncpg.connect(plain, statement_cache_size=0)
        await other.execute("begin")
        with pytest.raises(DatabaseError) as caught:
            await app.jobs()
        await other.close()
    hint = caught.value.hint or ""
    assert "HOLDFAST_POOLER=transaction" in hint
    assert "HOLDFAST_DIRECT_URL" in hint
    assert "statement_cache_size" not in "".join(traceback.format_exception_only(caught.value))


async def test_a_wait_for_a_lock_is_told_through_a_pooler(
    app: Holdfast, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = await asyncpg.connect(database_url, server_settings={"application_name": "report"})
    await other.execute("begin; lock table holdfast.workers in access exclusive mode")
    told = f"holder=process {other.get_server_pid()} (report)"
    async with working(app):
        async with asyncio.timeout(PATIENCE):
            while not any(told in line for line in caplog.messages):
                await asyncio.sleep(0.01)
        await other.close()
