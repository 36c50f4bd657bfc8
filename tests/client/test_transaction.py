"""Jobs in the caller's own transaction exist if that commits, and are invisible before."""

import asyncio
import json
from typing import Any

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.model.error import InvalidInput, InvalidPayload, NotFound
from tests.patience import PATIENCE

STORED = "select count(*) from holdfast.jobs"


class Undone(Exception):
    pass


async def stored(db: Database) -> int:
    return int((await db.fetch(STORED))[0][0])


async def test_a_job_is_invisible_until_the_callers_transaction_commits(app: Holdfast, db: Database) -> None:
    @app.task()
    async def greet(name: str) -> None: ...

    async with db.transaction() as conn:
        handle = await greet.using(conn).enqueue("Ada")
        assert await stored(db) == 0
        with pytest.raises(NotFound, match=str(handle.id)):
            await handle.status()
    assert (await handle.job()).payload == {"name": "Ada"}


async def test_a_rollback_of_the_callers_transaction_leaves_nothing(app: Holdfast, db: Database) -> None:
    with pytest.raises(Undone):
        await enqueue_and_raise(app, db)
    assert await stored(db) == 0
    assert (await db.fetch("select count(*) from holdfast.unique_keys"))[0][0] == 0


async def enqueue_and_raise(app: Holdfast, db: Database) -> None:
    @app.task()
    async def part(name: str) -> None: ...

    async with db.transaction() as conn:
        mine = part.using(conn)
        await mine.enqueue("Ada")
        await mine.options(unique_key="k", order_key="o").enqueue("Ada")
        await mine.enqueue_many([part.call("Grace"), part.call("Alan")])
        await app.enqueue_many([part.call("Kurt")], conn=conn)
        assert await conn.fetchval(STORED) == 5
        raise Undone


async def test_a_queue_that_is_new_in_an_open_transaction_keeps_nobody_waiting(
    app: Holdfast, db: Database
) -> None:
    @app.task(queue="new")
    async def greet(name: str) -> None: ...

    async with asyncio.timeout(PATIENCE), db.transaction() as conn:
        await greet.using(conn).enqueue("Ada")
        await greet.enqueue("Grace")
        await greet.options(queue="newer").using(conn).enqueue_many([greet.call("Alan")])
        await greet.options(queue="newer").enqueue("Kurt")
    assert await stored(db) == 4


async def test_a_queue_that_the_transaction_itself_has_made_is_no_trap(app: Holdfast, db: Database) -> None:
    @app.task(queue="new")
    async def greet(name: str) -> None: ...

    async with asyncio.timeout(PATIENCE), db.transaction() as conn:
        await conn.execute("select holdfast.enqueue('greet', '{\"name\": \"Ada\"}', queue => 'new')")
        await greet.using(conn).enqueue("Grace")
    assert await stored(db) == 2


async def test_a_connection_of_the_callers_own_with_a_json_codec_is_fine(
    app: Holdfast, database_url: str
) -> None:
    @app.task()
    async def greet(name: str) -> None: ...

    conn = await asyncpg.connect(database_url)
    for kind in ("json", "jsonb"):
        await conn.set_type_codec(kind, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    handle = await greet.using(conn).options(labels={"a": 1}).enqueue("Ada")
    await conn.close()
    job = await handle.job()
    assert (job.payload, job.labels) == ({"name": "Ada"}, {"a": 1})


async def test_a_refusal_leaves_the_choice_to_the_caller(app: Holdfast, db: Database) -> None:
    @app.task()
    async def keep(text: str) -> None: ...

    async with db.transaction() as conn:
        await keep.using(conn).enqueue("short")
        with pytest.raises(InvalidPayload):
            async with conn.transaction():
                await keep.using(conn).enqueue("x" * 300_000)
    assert await stored(db) == 1


async def test_another_drivers_connection_is_refused_with_a_remedy(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    other: Any = object()
    with pytest.raises(InvalidInput) as refused:
        greet.using(other)
    assert "holdfast.enqueue" in (refused.value.hint or "")
