"""Flags reach running workers, at the notification or at a heartbeat, and hold after a restart."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.worker import worker_state
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.working import until, working

# Long enough that no heartbeat falls into a test: what arrives was notified.
LONG = timedelta(hours=1)
SHORT = timedelta(seconds=1)
LISTENING = """
select count(*) from pg_stat_activity
where application_name = 'holdfast worker side' and query like '%holdfast.%' and datname = current_database()
"""


@pytest.fixture(autouse=True)
def at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "holdfast")


@asynccontextmanager
async def five_workers(app: Holdfast) -> AsyncIterator[list[Worker]]:
    """Four follow the flags, one of them in a group; the fifth has options of its own."""
    async with AsyncExitStack() as stack:
        options: list[dict[str, Any]] = [{}, {}, {}, {"group": "gpu"}, {"slots": 7, "claim_size": "auto"}]
        yield [await stack.enter_async_context(working(app, lease=LONG, **one)) for one in options]


def applied(log: pytest.LogCaptureFixture, worker: Worker) -> list[tuple[object, ...]]:
    """What its events say: flag, before, after and source."""
    found = [vars(record) for record in log.records if record.name == "holdfast"]
    told = [one["fields"] for one in found if one["event"] == "worker.flag_applied"]
    return [
        (one["flag"], one["before"], one["after"], str(one["source"]))
        for one in told
        if one["worker"] == worker.id
    ]


async def sizes(app: Holdfast, worker: Worker) -> tuple[object, ...] | None:
    """What the database shows of it."""
    rows = await app.database.fetch(
        "select slots, slots_from, claim_size, claim_size_from from holdfast.worker_view where id = $1",
        worker.id,
    )
    return tuple(rows[0]) if rows else None


async def shows(app: Holdfast, worker: Worker, *expected: object) -> None:
    async def is_so() -> bool:
        return await sizes(app, worker) == expected

    await until(is_so)


async def listening(app: Holdfast, workers: int) -> None:
    async def is_so() -> bool:
        return bool((await app.database.fetch(LISTENING))[0][0] == workers)

    await until(is_so)


async def test_a_flag_reaches_five_workers_and_holds_after_their_restart(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    async with five_workers(app) as workers:
        await listening(app, 5)
        await app.settings.set_flag("slots", 20, "load")
        await app.settings.set_flag("slots", 2, group="gpu")
        await app.settings.set_flag("claim_size", 3)
        for worker in workers[:3]:
            await shows(app, worker, 20, "flag", 3, "flag")
            assert applied(caplog, worker) == [
                ("slots", 50, 20, "flag"),
                ("claim_size", "auto", 3, "flag"),
            ]
        await shows(app, workers[3], 2, "group", 3, "flag")
        assert ("slots", 20, 2, "group") in applied(caplog, workers[3]) or (
            "slots",
            50,
            2,
            "group",
        ) in applied(caplog, workers[3])
        await shows(app, workers[4], 7, "option", None, "option")
        assert applied(caplog, workers[4]) == []
    async with five_workers(app) as workers:
        for worker in workers[:3]:
            await shows(app, worker, 20, "flag", 3, "flag")
        await shows(app, workers[3], 2, "group", 3, "flag")
        await shows(app, workers[4], 7, "option", None, "option")
        assert [applied(caplog, worker) for worker in workers] == [
            *[[("slots", 50, 20, "flag"), ("claim_size", "auto", 3, "flag")]] * 3,
            [("slots", 50, 2, "group"), ("claim_size", "auto", 3, "flag")],
            [],
        ]


async def test_a_worker_that_does_not_listen_learns_it_at_its_heartbeat(
    app: Holdfast, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_state, "FLAGS", "unheard")
    async with working(app, lease=SHORT) as worker:
        await shows(app, worker, 50, "default", None, "default")
        await app.settings.set_flag("slots", 20)
        await shows(app, worker, 20, "flag", None, "default")
        await app.settings.set_flag("slots", None)
        await shows(app, worker, 50, "default", None, "default")
        assert applied(caplog, worker) == [("slots", 50, 20, "flag"), ("slots", 20, 50, "default")]


@pytest.mark.usefixtures("no_polls")
async def test_more_slots_claim_at_once_and_fewer_let_running_jobs_finish(app: Holdfast) -> None:
    running: list[int] = []
    may_end = [asyncio.Event() for _ in range(6)]

    @app.task()
    async def work(n: int) -> None:
        running.append(n)
        await may_end[n].wait()

    async def started(count: int) -> None:
        async def is_so() -> bool:
            return len(running) == count

        await until(is_so)

    await app.settings.set_flag("slots", 1)
    jobs = [await work.enqueue(n) for n in range(6)]
    async with working(app, lease=LONG) as worker:
        await listening(app, 1)
        await started(1)
        await app.settings.set_flag("slots", 3)
        await started(3)
        await app.settings.set_flag("slots", 1)
        await shows(app, worker, 1, "flag", None, "default")
        for n in running[:2]:
            may_end[n].set()
            await jobs[n].result(timeout=PATIENCE)
        assert len(running) == 3, "one slot, and the third job is in it"
        may_end[running[2]].set()
        await started(4)
        for event in may_end:
            event.set()
        await jobs[5].result(timeout=PATIENCE)


@pytest.mark.usefixtures("no_polls")
async def test_rescue_on_again_is_done_at_the_notification(app: Holdfast) -> None:
    @app.task()
    async def work() -> int:
        return 1

    database = app.database
    await app.settings.set_flag("rescue", "off")
    job = await work.enqueue()
    lost = "0a1e9243-06f7-4ba9-9157-876253520d71"
    await database.execute("select holdfast.register_worker($1, '{default}')", lost)
    await database.execute("select holdfast.claim_jobs($1, 1)", lost)
    await database.execute("update holdfast.workers set lease_until = now() - interval '1 minute'")
    async with working(app, lease=LONG, sweep=LONG):
        await listening(app, 1)
        assert str(await job.status()) == "running"
        await app.settings.set_flag("rescue", "on")
        assert await job.result(timeout=PATIENCE) == 1
