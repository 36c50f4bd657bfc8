"""COMMIT is carried out and its answer lost, on every kind of call; and connections that are simply reset."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta

import asyncpg
import pytest

from chaos.fault_proxy import FaultProxy
from chaos.postgres_proxy import proxied_postgres
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.payload import encode
from holdfast.model.state import State
from holdfast.worker.context.job_context import JobContext
from tests.worker.working import ended, in_state, until, working

pytestmark = pytest.mark.alone

LEASE = timedelta(seconds=2)


@pytest.fixture
async def far(database_url: str) -> AsyncIterator[tuple[FaultProxy, Holdfast]]:
    """An app on the other side of a proxy."""
    async with proxied_postgres(database_url) as (proxy, url), Holdfast(url, name="far") as app:
        yield proxy, app


async def test_an_enqueue_whose_answer_was_lost_gives_the_same_job_when_it_is_sent_again(
    database_url: str,
) -> None:
    async with proxied_postgres(database_url) as (proxy, url), Database(url) as database:
        key = {"unique_key": "once"}
        await database.fetch("select 1")
        proxy.lose_answers(1)
        with pytest.raises(DatabaseUnavailable):
            await enqueue_jobs(database, ["task"], [encode({})], key)
        assert proxy.answers_lost == 1
        stored = [(await enqueue_jobs(database, ["task"], [encode({})], key))[0] for _ in range(2)]
        there = [row["id"] for row in await database.fetch("select id from holdfast.jobs")]
        assert [(one.id, one.created) for one in stored] == [(there[0], False)] * 2


async def test_a_transaction_whose_commit_was_not_answered_is_not_done_again(
    database_url: str, far: tuple[FaultProxy, Holdfast]
) -> None:
    """The handler sees an error, but its job has ended: the failure that it reports counts for nothing."""
    proxy, app = far
    await app.database.execute("create table effects (job uuid)")
    unheard: list[int] = []

    @app.task(retry=[0, 0])
    async def work(ctx: JobContext) -> None:
        try:
            async with ctx.transaction() as tx:
                await tx.execute("insert into effects values ($1)", ctx.id)
                proxy.lose_answers(1000)
        except Exception:
            unheard.append(ctx.attempt)
            raise
        finally:
            proxy.lose_answers(0)

    async with Holdfast(database_url) as near, working(app, lease=LEASE):
        job = await ended(near.job((await work.enqueue()).id))
        effects = await near.database.fetch("select * from effects")
    assert (job.state, job.attempt, job.failures) == (State.COMPLETED, 1, 0)
    assert (unheard, len(effects)) == ([1], 1)


async def test_connections_that_are_reset_under_a_running_job_cost_it_nothing(
    database_url: str, far: tuple[FaultProxy, Holdfast]
) -> None:
    proxy, app = far
    go_on = asyncio.Event()

    @app.task()
    async def work() -> str:
        await go_on.wait()
        return "done"

    async with Holdfast(database_url) as near, working(app, lease=timedelta(seconds=10)):
        handle = near.job((await work.enqueue()).id)
        await until(in_state(handle, State.RUNNING))
        assert proxy.reset() > 0
        go_on.set()
        job = await ended(handle)
    assert (job.state, job.attempt, job.losses) == (State.COMPLETED, 1, 0)


async def test_a_connection_that_died_in_its_users_hands_is_replaced_without_another_error(
    database_url: str,
) -> None:
    """What the user's own statement raised is all that is raised: giving the dead one back adds nothing."""
    async with proxied_postgres(database_url) as (proxy, url), Database(url, pool_size=1) as database:
        with pytest.raises((asyncpg.PostgresError, OSError)):
            await _break_in_transaction(database, proxy)
        async with database.connection() as conn:
            proxy.reset()
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                await conn.fetchval("select 1")
        assert (await database.fetch("select 2"))[0][0] == 2


async def _break_in_transaction(database: Database, proxy: FaultProxy) -> None:
    async with database.transaction() as conn:
        proxy.reset()
        await conn.fetchval("select 1")
