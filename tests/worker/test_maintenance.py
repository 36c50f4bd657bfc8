"""Maintenance tasks: each is done when due, hurried when asked, and a failure kills nothing."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from holdfast.db.connect import Database
from holdfast.db.statement import Executor
from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.maintenance.standard_tasks import (
    ADVANCE_ORDER_KEYS,
    CLOSE_RUNS,
    MARK_LANES,
    PRUNE,
    RESCUE,
    SETTLE_LIMITS,
    SUMMARISE_ENDS,
    standard_tasks,
)
from holdfast.maintenance.sweeper import Sweeper
from tests.worker.working import until

HOUR = timedelta(hours=1)
EVERY = timedelta(milliseconds=10)


def counting(done: Counter[str], name: str) -> Callable[[Executor], Awaitable[int]]:
    async def work(_: Executor) -> int:
        done[name] += 1
        return done[name]

    return work


async def test_the_last_success_of_each_maintenance_task_is_noted_but_not_of_one_that_fails(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: Executor) -> int:
        raise RuntimeError("no")

    monkeypatch.setattr("holdfast.maintenance.sweeper.FIRST_NOTE", 0.0)
    monkeypatch.setattr("holdfast.maintenance.sweeper.NOTE_EVERY", 0.0)
    done: Counter[str] = Counter()
    sweeper = Sweeper(
        db, [MaintenanceTask("good", EVERY, counting(done, "good")), MaintenanceTask("bad", EVERY, fails)]
    )
    await sweeper.run_once()
    assert [row["name"] for row in await db.fetch("select name from holdfast.maintenance_view")] == ["good"]


async def test_all_standard_maintenance_tasks_run_against_the_real_verbs(db: Database) -> None:
    found = await Sweeper(db, standard_tasks(timedelta(seconds=5))).run_once()
    assert set(found) == {
        "make_partitions",
        "promote",
        "rescue",
        "close_runs",
        "advance_order_keys",
        "prune",
        "prune_records",
        "prune_unused",
        "prune_logs",
        "settle_limits",
        "mark_lanes",
        "forget_workers",
        "summarise_ends",
        "prune_endpoints",
        "seal_events",
        "sample_depths",
        "rebalance",
        "fire_schedules",
    }


async def test_a_maintenance_task_is_done_again_and_again_and_one_that_is_hurried_before_it_is_due(
    db: Database,
) -> None:
    done: Counter[str] = Counter()
    sweeper = Sweeper(
        db,
        [
            MaintenanceTask("often", EVERY, counting(done, "often")),
            MaintenanceTask("rarely", HOUR, counting(done, "rarely"), soonest=EVERY, at_once=True),
        ],
    )
    running = asyncio.create_task(sweeper.run())
    await until(lambda: reached(done, "often", 5))
    assert done["rarely"] == 1
    sweeper.hurry("rarely")
    await until(lambda: reached(done, "rarely", 2))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_maintenance_task_hurried_many_times_is_not_done_more_often_than_it_allows(
    db: Database,
) -> None:
    done: Counter[str] = Counter()
    sweeper = Sweeper(
        db,
        [
            MaintenanceTask("a", HOUR, counting(done, "a"), soonest=HOUR, at_once=True),
            MaintenanceTask("b", EVERY, counting(done, "b")),
        ],
    )
    running = asyncio.create_task(sweeper.run())
    await until(lambda: reached(done, "a", 1))
    for _ in range(50):
        sweeper.hurry("a")
    await until(lambda: reached(done, "b", 20))
    assert done["a"] == 1
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_worker_begins_with_what_somebody_may_wait_for_and_leaves_the_rest_for_later(
    db: Database,
) -> None:
    begun: list[str] = []

    def noting(name: str) -> Callable[[Executor], Awaitable[int]]:
        async def work(_: Executor) -> int:
            begun.append(name)
            return 0

        return work

    standard = [replace(task, work=noting(task.name)) for task in standard_tasks(HOUR)]
    running = asyncio.create_task(
        Sweeper(db, [*standard, MaintenanceTask("end", EVERY, noting("end"))]).run()
    )
    await until(lambda: reached(Counter(begun), "end", 5))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert begun[:3] == [RESCUE, CLOSE_RUNS, ADVANCE_ORDER_KEYS]
    assert not {SETTLE_LIMITS, MARK_LANES, SUMMARISE_ENDS} & set(begun)


async def test_a_maintenance_task_that_fails_is_told_of_once_and_tried_again(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    done: Counter[str] = Counter()

    async def broken(on: Executor) -> int:
        done["broken"] += 1
        await on.execute("select 1 / 0")
        return 1

    sweeper = Sweeper(
        db, [MaintenanceTask("broken", EVERY, broken), MaintenanceTask("fine", EVERY, counting(done, "fine"))]
    )
    with caplog.at_level(logging.WARNING, "holdfast"):
        running = asyncio.create_task(sweeper.run())
        await until(lambda: reached(done, "broken", 3))
        await until(lambda: reached(done, "fine", 2))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert [record.getMessage()[:30] for record in caplog.records] == ["maintenance.failed task=broken"]


async def reached(done: Counter[str], name: str, count: int) -> bool:
    return done[name] >= count


async def test_a_blocked_maintenance_task_is_no_success_and_its_holder_is_logged(
    db: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.maintenance.sweeper.FIRST_NOTE", 0.0)
    monkeypatch.setattr("holdfast.maintenance.sweeper.NOTE_EVERY", 0.0)
    maintenance_tasks = [task for task in standard_tasks(HOUR) if task.name in (PRUNE, SUMMARISE_ENDS)]
    sweeper = Sweeper(db, maintenance_tasks)
    async with db.transaction() as held:
        await held.execute("select holdfast.prune_jobs()")
        pid = await held.fetchval("select pg_backend_pid()")
        with caplog.at_level(logging.WARNING, "holdfast"):
            for _ in range(5):
                assert await sweeper.run_once() == {SUMMARISE_ENDS: 0}
        assert [row["name"] for row in await db.fetch("select name from holdfast.maintenance_view")] == [
            SUMMARISE_ENDS
        ]
    (told,) = caplog.records
    assert told.getMessage().startswith(f"maintenance.blocked task=prune holder=process {pid} (")
    assert await sweeper.run_once() == {PRUNE: 0, SUMMARISE_ENDS: 0}
