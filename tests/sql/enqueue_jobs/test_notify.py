"""An enqueue wakes workers at most once per queue and transaction, and only where that is wanted."""

import asyncio

import asyncpg
import pytest

from tests.builders import a_queue, ready_job, ready_jobs
from tests.patience import PATIENCE


@pytest.fixture
async def heard(database_url: str) -> "asyncio.Queue[str]":
    return asyncio.Queue()


async def hints(database_url: str, heard: "asyncio.Queue[str]", quiet: bool = False) -> list[str]:
    listener = await asyncpg.connect(database_url)
    producer = await asyncpg.connect(database_url)
    await listener.add_listener("holdfast_ready", lambda *args: heard.put_nowait(str(args[-1])))
    await a_queue(producer, "silent", notify=False)
    async with producer.transaction():
        options = {"notify": False} if quiet else {}
        await ready_jobs(producer, 5, queue="a", **options)
        await ready_job(producer, queue="a", **options)
        await ready_job(producer, queue="b", **options)
        await ready_job(producer, queue="silent", **options)
    # What is sent later comes later, so everything before the mark has arrived with it.
    await producer.execute("select pg_notify('holdfast_ready', 'mark')")
    arrived = []
    while (hint := await asyncio.wait_for(heard.get(), PATIENCE)) != "mark":
        arrived.append(hint)
    await listener.close()
    await producer.close()
    return sorted(arrived)


async def test_each_queue_is_hinted_once_per_transaction(
    database_url: str, heard: "asyncio.Queue[str]"
) -> None:
    assert await hints(database_url, heard) == ["a", "b"]


async def test_an_enqueue_can_be_silent(database_url: str, heard: "asyncio.Queue[str]") -> None:
    assert await hints(database_url, heard, quiet=True) == []
