"""Assertions on what is stored, and what they say when they fail."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.state import State
from holdfast.testing import assert_enqueued, assert_state, count_by_state

Greet = Task[[str], None]


@pytest.fixture
async def greet(database_url: str) -> AsyncIterator[Greet]:
    app = Holdfast(database_url)

    @app.task()
    async def greet(name: str) -> None: ...

    async with app:
        yield greet


async def test_an_enqueued_job_is_found_by_task_payload_and_count(greet: Greet, db: Database) -> None:
    await greet.enqueue("Ada")
    await greet.enqueue("Ada")
    await greet.enqueue("Grace")
    assert len(await assert_enqueued(db, task=greet)) == 3
    await assert_enqueued(db, task="greet", payload={"name": "Ada"}, count=2)
    await assert_enqueued(db, task=greet, payload={"name": "Alan"}, count=0)


async def test_a_missing_job_is_an_error_that_says_what_there_is(greet: Greet, db: Database) -> None:
    with pytest.raises(AssertionError, match=r"Expected a job of greet, found 0\. The database has: no job"):
        await assert_enqueued(db, task=greet)
    await greet.enqueue("Ada")
    with pytest.raises(AssertionError, match=r'Expected 2 jobs of greet.*greet \{"name": "Ada"\} ready'):
        await assert_enqueued(db, task=greet, payload={"name": "Ada"}, count=2)


async def test_it_sees_the_callers_own_transaction(greet: Greet, db: Database) -> None:
    async with db.transaction() as conn:
        await greet.using(conn).enqueue("Ada")
        await assert_enqueued(conn, task=greet, count=1)
        await assert_enqueued(db, task=greet, count=0)


async def test_a_state_that_is_another_one_is_an_error(greet: Greet, db: Database) -> None:
    handle = await greet.enqueue("Ada")
    await assert_state(db, handle, "ready")
    await handle.cancel("not wanted")
    assert (await assert_state(db, handle.id, State.CANCELLED)).reason == "not wanted"
    with pytest.raises(AssertionError, match=r"to be ready, but it is cancelled \(not wanted\)"):
        await assert_state(db, handle, State.READY)
    with pytest.raises(AssertionError, match="There is no job"):
        await assert_state(db, uuid4(), State.READY)


async def test_jobs_are_counted_by_state(greet: Greet, db: Database) -> None:
    assert await count_by_state(db) == {}
    await greet.enqueue("Ada")
    await greet.options(delay=60).enqueue("Grace")
    await (await greet.enqueue("Alan")).cancel()
    assert await count_by_state(db) == {State.READY: 1, State.SCHEDULED: 1, State.CANCELLED: 1}
