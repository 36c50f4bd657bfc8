"""A worker that is alive but does no work is found after recovery."""

import os
from datetime import timedelta

from chaos.worker_probe import idle_workers, queue_of, register
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from tests.builders import a_worker
from tests.worker.working import working

SHORTLY = timedelta(milliseconds=300)


async def test_a_worker_that_works_and_holds_its_lease_is_good(database_url: str, db: Database) -> None:
    async with Holdfast(database_url) as app:
        register(app)
        async with working(app, queue_of(os.getpid())):
            assert await idle_workers(db, [os.getpid()], timedelta(seconds=30)) == []


async def test_a_worker_that_renews_its_lease_and_does_nothing_is_named(db: Database) -> None:
    async with db.connection() as conn:
        await a_worker(conn, pid=7, lease=timedelta(minutes=1))
    (complaint,) = await idle_workers(db, [7], SHORTLY)
    assert complaint.startswith("worker 7 is alive but has done no work within 0.3 s")


async def test_a_worker_without_a_lease_is_named(db: Database) -> None:
    complaints = await idle_workers(db, [7], SHORTLY)
    assert any("worker 7 is alive but holds no lease" in one for one in complaints)
