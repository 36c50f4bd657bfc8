"""Workers are woken after the commit, seldom, and never at the caller's cost."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from holdfast.client import notify
from holdfast.client.app import Holdfast
from holdfast.client.notify import Notifier
from holdfast.db.connect import Database
from holdfast.model.error import DatabaseUnavailable
from tests.patience import PATIENCE


class Heard:
    """What a listener heard, and a way to wait for it."""

    def __init__(self) -> None:
        self.queues: list[str] = []

    def hear(self, _conn: object, _pid: int, _channel: str, payload: object) -> None:
        self.queues.append(str(payload))

    async def at_least(self, count: int) -> list[str]:
        async with asyncio.timeout(PATIENCE):
            while len(self.queues) < count:
                await asyncio.sleep(0.005)
        return self.queues


@pytest.fixture
async def heard(database_url: str) -> AsyncIterator[Heard]:
    conn = await asyncpg.connect(database_url)
    found = Heard()
    await conn.add_listener("holdfast_ready", found.hear)
    yield found
    await conn.close()


async def test_an_enqueue_wakes_the_workers_of_its_queue(app: Holdfast, heard: Heard) -> None:
    @app.task(queue="mail")
    async def greet() -> None: ...

    await greet.enqueue()
    assert await heard.at_least(1) == ["mail"]
    await greet.options(queue="other").enqueue_many([greet.call()])
    assert await heard.at_least(2) == ["mail", "other"]
    await asyncio.to_thread(greet.enqueue_sync)
    assert await heard.at_least(3) == ["mail", "other", "mail"]


async def test_a_bulk_wakes_the_workers_of_the_queues_in_which_its_jobs_stand(
    app: Holdfast, heard: Heard
) -> None:
    @app.task(queue="mail")
    async def greet(n: int) -> None: ...

    await app.rules.set_rule("task", "greet", "many", condition="$.payload.n > 1", queue="bulk")
    await greet.enqueue_many([greet.call(1), greet.call(2)])
    assert await heard.at_least(2) == ["bulk", "mail"]
    await greet.enqueue_many([greet.call(2), greet.call(3)])
    assert await heard.at_least(3) == ["bulk", "mail", "bulk"]


async def test_many_enqueues_are_few_hints_and_the_last_is_not_lost(
    app: Holdfast, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "PAUSE", timedelta(milliseconds=500))  # longer than several enqueues take

    @app.task(queue="mail")
    async def greet() -> None: ...

    @app.task(queue="last")
    async def part() -> None: ...

    for _ in range(40):
        await greet.enqueue()
    await part.enqueue()
    while "last" not in heard.queues:
        await heard.at_least(len(heard.queues) + 1)
    assert 1 <= heard.queues.count("mail") < 35
    await app.close()
    assert "last" in heard.queues


async def test_in_the_callers_transaction_the_hint_goes_with_the_commit(
    app: Holdfast, heard: Heard, db: Database
) -> None:
    @app.task(queue="mail")
    async def greet() -> None: ...

    async with db.transaction() as conn:
        await greet.using(conn).enqueue()
        await greet.options(queue="other").enqueue()
        assert await heard.at_least(1) == ["other"]
    assert await heard.at_least(2) == ["other", "mail"]


async def test_a_queue_that_wants_no_hints_gets_none(app: Holdfast, heard: Heard) -> None:
    app.queue("silent", notify=False)

    @app.task(queue="silent")
    async def greet() -> None: ...

    await app.declare()
    await greet.enqueue()
    await greet.options(queue="loud").enqueue()
    assert await heard.at_least(1) == ["loud"]


class Broken:
    async def fetch(self, query: str, /, *args: object) -> list[asyncpg.Record]:
        raise DatabaseUnavailable("gone")

    async def execute(self, query: str, /, *args: object) -> str:
        raise DatabaseUnavailable("gone")


async def test_a_hint_that_cannot_be_sent_is_logged_and_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notifier = Notifier(Broken())
    with caplog.at_level(logging.WARNING, "holdfast"):
        notifier.tell(["mail"])
        await notifier.flush()
    assert "notify.failed queues=mail because=gone" in caplog.text
