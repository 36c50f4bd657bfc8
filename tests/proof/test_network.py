"""Answers that do not come, and a listener whose connection is dead without a word."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from chaos.fault_proxy import FaultProxy
from chaos.postgres_proxy import proxied_postgres
from holdfast.client.app import Holdfast
from holdfast.db.invariants import check_invariants
from holdfast.model.state import State
from tests.patience import PATIENCE
from tests.worker.working import ended, in_state, until, working

pytestmark = pytest.mark.alone

LEASE = timedelta(seconds=2)
SHORT_LEASE = timedelta(seconds=1)


@pytest.fixture
async def near(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="near") as app:
        yield app


@pytest.fixture
async def far(database_url: str) -> AsyncIterator[tuple[FaultProxy, Holdfast]]:
    async with proxied_postgres(database_url) as (proxy, url), Holdfast(url, name="far") as app:
        yield proxy, app


@pytest.mark.parametrize("up", [True, False])
async def test_with_loss_in_one_direction_no_two_attempts_overlap(
    near: Holdfast, far: tuple[FaultProxy, Holdfast], up: bool
) -> None:
    """On one clock: the first attempt was cancelled before the second began."""
    proxy, distant = far
    running: set[int] = set()
    seen: list[int] = []

    async def work() -> str:
        running.add(len(seen))
        seen.append(len(running))
        me = len(seen)
        try:
            await asyncio.sleep(60 if me == 1 else 0)
        finally:
            running.discard(me - 1)
        return "second"

    handle = await near.task()(work).enqueue()
    distant.task()(work)
    async with working(distant, lease=LEASE):
        await until(in_state(handle, State.RUNNING))
        proxy.partition(to_server=up, to_client=not up)
        async with working(near, lease=LEASE):
            job = await ended(handle)
        proxy.heal()
    assert (job.state, job.output, seen) == (State.COMPLETED, "second", [1, 1])
    assert await check_invariants(near.database) == []


async def test_a_half_open_listener_is_covered_by_polling(
    near: Holdfast, far: tuple[FaultProxy, Holdfast]
) -> None:
    """Nobody tells the worker that its connections are dead: the next poll waits for the end of its
    statement, which is after a lease, and the one after that is on a new connection.
    """
    proxy, distant = far

    @distant.task()
    async def work() -> int:
        return 1

    near_work = near.task(name="work")(lambda: 1)
    async with working(distant, lease=SHORT_LEASE):
        assert await (await near_work.enqueue()).result(timeout=PATIENCE) == 1
        assert proxy.half_open() >= 3
        assert await (await near_work.enqueue()).result(timeout=PATIENCE) == 1
        proxy.heal()
