"""psycopg with settings of the caller's own."""

import psycopg
import pytest
from psycopg.rows import dict_row

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.error import DatabaseUnavailable, UniqueConflict

Greet = Task[[str], int]


async def names(db: Database) -> list[str]:
    return [row[0] for row in await db.fetch("select payload ->> 'name' from holdfast.jobs order by id")]


async def test_with_autocommit_each_enqueue_is_a_statement_of_its_own(
    database_url: str, db: Database, greet: Greet
) -> None:
    with psycopg.connect(database_url, autocommit=True) as conn:
        greet.using(conn).enqueue_sync("Ada")
        assert await names(db) == ["Ada"]
        with conn.transaction(force_rollback=True):
            greet.using(conn).enqueue_sync("Grace")
    assert await names(db) == ["Ada"]


async def test_other_rows_cursors_and_placeholders_of_the_callers_do_no_harm(
    database_url: str, db: Database, greet: Greet
) -> None:
    with psycopg.connect(
        database_url, row_factory=dict_row, cursor_factory=psycopg.ClientCursor, prepare_threshold=None
    ) as conn:
        handle = greet.using(conn).enqueue_sync("100 % Ada")
        assert conn.execute("select 1 as one").fetchone() == {"one": 1}
    assert (await handle.job()).payload == {"name": "100 % Ada"}


async def test_an_enqueue_does_not_end_the_transaction(database_url: str, greet: Greet) -> None:
    with psycopg.connect(database_url) as conn:
        greet.using(conn).enqueue_sync("Ada")
        assert conn.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS
        conn.rollback()


async def test_a_conflict_inside_a_savepoint_leaves_the_rest(
    database_url: str, db: Database, greet: Greet
) -> None:
    once = greet.options(unique_key="k")
    with psycopg.connect(database_url) as conn:
        once.using(conn).enqueue_sync("Ada")
        with pytest.raises(UniqueConflict), conn.transaction():
            once.using(conn).enqueue_sync("Grace")
    assert await names(db) == ["Ada"]


async def test_a_closed_connection_is_unavailable(database_url: str, greet: Greet, app: Holdfast) -> None:
    conn = psycopg.connect(database_url)
    conn.close()
    with pytest.raises(DatabaseUnavailable, match="closed"):
        greet.using(conn).enqueue_sync("Ada")
    waiting = await psycopg.AsyncConnection.connect(database_url)
    await waiting.close()
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await greet.using(waiting).enqueue("Ada")


async def test_a_pipeline_is_answered_too(database_url: str, db: Database, greet: Greet) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as conn, conn.pipeline():
        await greet.using(conn).enqueue("Ada")
        await greet.using(conn).enqueue("Grace")
    assert await names(db) == ["Ada", "Grace"]
