"""The same promises on every driver: jobs exist if the caller's transaction commits, and not before."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

import asyncpg
import pytest

from holdfast.client import bulk
from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.error import DatabaseError, InvalidPayload, UniqueConflict
from tests.client.drivers.transaction import Transaction
from tests.client.drivers.ways import WAYS, Way
from tests.patience import PATIENCE

Greet = Task[[str], int]

WORLD = """
select
  (select array_agg(payload ->> 'name' order by id) from holdfast.jobs) as jobs,
  (select array_agg(name order by name) from written) as written,
  (select count(*) from holdfast.unique_keys) as keys
"""


class Undone(Exception):
    pass


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    return WAYS[request.param]


async def world(db: Database) -> tuple[Any, ...]:
    """The names in the jobs, the caller's own rows, and how many unique keys are taken."""
    (row,) = await db.fetch(WORLD)
    return tuple(row)


async def test_a_job_appears_with_the_commit_and_not_before(
    way: Way, database_url: str, db: Database, greet: Greet
) -> None:
    async with way(database_url) as transaction:
        await transaction.write("Ada")
        handle = await transaction.enqueue(
            greet.options(priority=7, labels={"a": "quote \" ' \\ %s :p1 é"}), "Ada"
        )
        assert await world(db) == (None, None, 0)
    assert await world(db) == (["Ada"], ["Ada"], 0)
    job = await handle.job()
    assert (job.payload, job.priority, job.queue) == ({"name": "Ada"}, 7, "mail")
    assert job.labels == {"a": "quote \" ' \\ %s :p1 é"}


async def test_a_rollback_leaves_nothing(
    way: Way, database_url: str, db: Database, app: Holdfast, greet: Greet
) -> None:
    with pytest.raises(Undone):
        await enqueue_and_raise(way(database_url), app, greet)
    assert await world(db) == (None, None, 0)


async def enqueue_and_raise(
    opened: AbstractAsyncContextManager[Transaction], app: Holdfast, greet: Greet
) -> None:
    async with opened as transaction:
        await transaction.write("Ada")
        await transaction.enqueue(greet, "Ada")
        await transaction.enqueue(greet.options(unique_key="k", order_key="o"), "Grace")
        await transaction.enqueue_many(greet, [greet.call("Alan"), greet.call("Kurt")])
        await transaction.enqueue_several(app, [greet.call("Emmy")])
        raise Undone


async def test_a_unique_key_with_another_payload_is_a_conflict(
    way: Way, database_url: str, db: Database, greet: Greet
) -> None:
    once = greet.options(unique_key="k")
    first = await once.enqueue("Ada")
    async with way(database_url) as transaction:
        again = await transaction.enqueue(once, "Ada")
    assert (again.id, again.created) == (first.id, False)
    with pytest.raises(UniqueConflict) as conflict:
        await write_and_enqueue(way(database_url), once, "Grace")
    with pytest.raises(UniqueConflict) as plain:
        await once.enqueue("Grace")
    assert (conflict.value.message, conflict.value.hint) == (plain.value.message, plain.value.hint)
    assert conflict.value.__cause__ is not None
    assert await world(db) == (["Ada"], None, 1)


async def write_and_enqueue(opened: AbstractAsyncContextManager[Transaction], task: Greet, name: str) -> None:
    async with opened as transaction:
        await transaction.write(name)
        await transaction.enqueue(task, name)


async def test_a_refused_payload_says_where_on_every_driver(
    way: Way, database_url: str, db: Database, app: Holdfast, greet: Greet
) -> None:
    app.queue("small", payload_limit=100)
    await app.declare()
    with pytest.raises(InvalidPayload) as refused:
        await write_and_enqueue(way(database_url), greet.options(queue="small"), "x" * 300)
    assert refused.value.path == "$"
    assert "payload" in refused.value.message
    assert await world(db) == (None, None, 0)


async def test_many_at_once_are_stored_in_order_chunk_by_chunk(
    way: Way,
    database_url: str,
    db: Database,
    app: Holdfast,
    greet: Greet,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "MOST_JOBS", 10)
    names = [f"name {n}" for n in range(25)]
    calls = [greet.call(name) for name in names]
    mixed = [greet.options(priority=n).call(name) for n, name in enumerate(names)]
    async with way(database_url) as transaction:
        handles = await transaction.enqueue_many(greet, calls)
        handles += await transaction.enqueue_several(app, mixed)
        assert await world(db) == (None, None, 0)
    stored = [await handle.job() for handle in handles]
    assert [job.payload["name"] for job in stored] == names * 2
    assert [job.priority for job in stored[25:]] == [*range(25)]


async def test_workers_are_woken_by_the_commit(
    way: Way, database_url: str, db: Database, greet: Greet
) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()
    listener = await asyncpg.connect(database_url)
    await listener.add_listener("holdfast_ready", lambda *told: heard.put_nowait(told[-1]))
    async with way(database_url) as transaction:
        await transaction.enqueue(greet, "Ada")
        await listener.execute("select pg_notify('holdfast_ready', 'before the commit')")
        assert await asyncio.wait_for(heard.get(), PATIENCE) == "before the commit"
    assert await asyncio.wait_for(heard.get(), PATIENCE) == "mail"
    await listener.close()


async def test_a_transaction_that_has_failed_already_takes_no_job(
    way: Way, database_url: str, db: Database, greet: Greet
) -> None:
    await db.execute("insert into written values ('Ada')")
    with pytest.raises(DatabaseError) as refused:
        await enqueue_after_a_failure(way(database_url), greet)
    assert "transaction" in refused.value.message
    assert await world(db) == (None, ["Ada"], 0)


async def enqueue_after_a_failure(opened: AbstractAsyncContextManager[Transaction], greet: Greet) -> None:
    async with opened as transaction:
        with pytest.raises(Exception, match="duplicate key"):
            await transaction.write("Ada")
        await transaction.enqueue(greet, "Ada")


async def test_a_new_queue_keeps_other_producers_from_waiting(
    way: Way, database_url: str, db: Database, greet: Greet
) -> None:
    async with asyncio.timeout(PATIENCE), way(database_url) as transaction:
        await transaction.enqueue(greet.options(queue="new"), "Ada")
        await greet.options(queue="new").enqueue("Grace")
    assert await world(db) == (["Ada", "Grace"], None, 0)
