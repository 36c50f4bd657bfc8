"""The network between worker and database stands still, with every connection open."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from chaos.fault_proxy import FaultProxy
from chaos.postgres_proxy import proxied_postgres
from holdfast.client.app import Holdfast
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.state import State
from holdfast.worker.worker_connection import WorkerConnection
from tests.patience import PATIENCE
from tests.worker.working import ended, in_state, until, working

pytestmark = pytest.mark.alone

LEASE = timedelta(seconds=4)


@pytest.fixture
async def far(database_url: str) -> AsyncIterator[tuple[FaultProxy, Holdfast]]:
    """An app whose way to the database can be partitioned."""
    async with proxied_postgres(database_url) as (proxy, url), Holdfast(url, name="far") as app:
        yield proxy, app


@pytest.mark.slow
async def test_handlers_stop_before_the_lease_can_end_and_another_worker_takes_over(
    app: Holdfast, far: tuple[FaultProxy, Holdfast]
) -> None:
    """On one clock: the second attempt begins only after the first was cancelled."""
    proxy, distant = far
    moments: list[tuple[str, float]] = []

    async def work() -> str:
        moments.append(("began", time.monotonic()))
        if len(moments) > 1:
            return "second"
        try:
            await asyncio.Event().wait()
        finally:
            moments.append(("cancelled", time.monotonic()))
        return "never"

    handle = await app.task()(work).enqueue()
    distant.task()(work)
    async with working(distant, lease=LEASE) as first:
        await until(in_state(handle, State.RUNNING))
        frozen_at = time.monotonic()
        proxy.partition()
        async with working(app, lease=LEASE):
            job = await ended(handle)
        proxy.restore()
        await until(lambda: is_lost(first.report.lost))
    assert [name for name, _ in moments] == ["began", "cancelled", "began"]
    assert moments[1][1] - frozen_at < LEASE.total_seconds()
    assert (job.state, job.output, job.attempt) == (State.COMPLETED, "second", 2)


@pytest.mark.slow
async def test_a_worker_that_was_cut_off_works_again_when_the_network_does(
    far: tuple[FaultProxy, Holdfast],
) -> None:
    proxy, distant = far

    @distant.task()
    async def work() -> int:
        return 1

    async with working(distant, lease=LEASE):
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1
        proxy.partition()
        await asyncio.sleep(2 * LEASE.total_seconds())  # the time is the fault
        proxy.restore()
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1


async def test_a_handshake_that_is_never_answered_ends_with_the_lease(
    far: tuple[FaultProxy, Holdfast], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is opened while the network stands still must not hold up what comes after."""
    monkeypatch.setattr("holdfast.db.connect.CONNECT_TIMEOUT", timedelta(seconds=10 * PATIENCE))
    proxy, distant = far
    line = WorkerConnection(distant.database.address, "worker", timeout=timedelta(seconds=1))
    proxy.partition()
    with pytest.raises(DatabaseUnavailable):
        await line.fetch("select 1")
    proxy.restore()
    assert await line.fetch("select 1")
    await line.close()


async def is_lost(count: int) -> bool:
    return count == 1
