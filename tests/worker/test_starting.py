"""A worker starts while others hold what it would name, and says whom it waits for."""

import asyncio
import logging
from datetime import timedelta

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from tests.worker.working import until, working

WORKS = "select count(*) from holdfast.worker_view where state = 'working'"
ENDS = "select count(*) from holdfast.job_view where state = 'completed'"
ENQUEUE = """
select holdfast.enqueue_jobs(array['greet'], array['{}']::json[], '{"queue": "new", "endpoint": "fresh"}')
"""


@pytest.fixture
def greeting(app: Holdfast) -> Holdfast:
    @app.task(queue="new", endpoint="fresh", max_concurrent=3)
    async def greet() -> None:
        """What is to be done is that it is done."""

    app.queue("new", max_concurrent=2)
    app.queue("other", retention=3600)
    app.endpoint("fresh", mode="fixed", max=7)
    return app


async def test_a_worker_starts_beside_a_producer_that_names_its_queue_and_endpoint(
    greeting: Holdfast, database_url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.worker.declarations.FIRST", timedelta(seconds=3))  # long enough to look
    producer = await asyncpg.connect(database_url)
    transaction = producer.transaction()
    await transaction.start()
    await producer.execute(ENQUEUE)
    with caplog.at_level(logging.WARNING, "holdfast"):
        async with working(greeting, "new"):
            await until(lambda: greeting.database.fetch(f"{WORKS} having count(*) = 1"))
            assert await said_of(greeting, "queue_view", "other") is not None, "what nobody holds is declared"
            await transaction.commit()
            await until(lambda: greeting.database.fetch(f"{ENDS} having count(*) = 1"))
            await until(lambda: said_of(greeting, "endpoint_view", "fresh", "max = 7"))
            await until(lambda: said_of(greeting, "queue_view", "new", "max_concurrent = 2"))
    pid = producer.get_server_pid()
    await producer.close()
    (put_off,) = [line for line in caplog.messages if line.startswith("declaration.deferred")]
    assert "queue new" in put_off
    assert "endpoint fresh" in put_off
    assert "queue other" not in put_off
    assert f"holder=process {pid} (" in put_off


async def said_of(app: Holdfast, view: str, name: str, condition: str = "true") -> object:
    rows = await app.database.fetch(f"select name from holdfast.{view} where name = $1 and {condition}", name)
    return rows[0] if rows else None


async def test_a_wait_for_a_lock_is_told_with_the_process_that_holds_it(
    app: Holdfast, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = await asyncpg.connect(database_url, server_settings={"application_name": "report"})
    await other.execute("begin; lock table holdfast.workers in access exclusive mode")
    waits = f"holder=process {other.get_server_pid()} (report)"
    with caplog.at_level(logging.WARNING, "holdfast"):
        async with working(app, "default"):
            await until(lambda: told(caplog, waits))
            await other.execute("rollback")
            await until(lambda: app.database.fetch(f"{WORKS} having count(*) = 1"))
    await other.close()
    assert [line for line in caplog.messages if waits in line and line.startswith("lock.waits name=worker ")]


async def told(caplog: pytest.LogCaptureFixture, words: str) -> bool:
    await asyncio.sleep(0)
    return any(words in line for line in caplog.messages)
