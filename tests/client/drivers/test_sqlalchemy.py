"""SQLAlchemy's sessions: savepoints, flushes, and plain code inside asynchronous code."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.error import DatabaseUnavailable, UniqueConflict
from tests.client.drivers.ways import sqlalchemy_url

Greet = Task[[str], int]


class Base(DeclarativeBase): ...


class Written(Base):
    __tablename__ = "written"
    name: Mapped[str] = mapped_column(primary_key=True)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = create_engine(sqlalchemy_url(database_url, "psycopg"))
    yield engine
    engine.dispose()


async def names(db: Database) -> list[str]:
    return [row[0] for row in await db.fetch("select payload ->> 'name' from holdfast.jobs order by id")]


async def test_an_object_and_its_job_are_committed_together(
    engine: Engine, db: Database, greet: Greet
) -> None:
    with Session(engine) as session:
        session.add(Written(name="Ada"))
        greet.using(session).enqueue_sync("Ada")
        assert session.in_transaction()
        assert await names(db) == []
        session.commit()
    assert await names(db) == ["Ada"]
    assert len(await db.fetch("select from written")) == 1


async def test_a_conflict_inside_a_savepoint_leaves_the_rest(
    engine: Engine, db: Database, greet: Greet
) -> None:
    once = greet.options(unique_key="k")
    with Session(engine) as session, session.begin():
        once.using(session).enqueue_sync("Ada")
        with pytest.raises(UniqueConflict), session.begin_nested():
            once.using(session).enqueue_sync("Grace")
    assert await names(db) == ["Ada"]


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_plain_code_of_an_asynchronous_session_can_enqueue(
    driver: str, database_url: str, db: Database, greet: Greet
) -> None:
    engine = create_async_engine(sqlalchemy_url(database_url, driver))
    async with AsyncSession(engine) as session, session.begin():
        await session.run_sync(lambda plain: greet.using(plain).enqueue_sync("Ada"))
        assert await names(db) == []
    await engine.dispose()
    assert await names(db) == ["Ada"]


async def test_with_autocommit_each_enqueue_is_a_statement_of_its_own(
    engine: Engine, db: Database, greet: Greet
) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        greet.using(conn).enqueue_sync("Ada")
        assert await names(db) == ["Ada"]


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_a_connection_that_was_cut_is_unavailable(
    driver: str, database_url: str, db: Database, greet: Greet
) -> None:
    engine = create_async_engine(sqlalchemy_url(database_url, driver))
    async with AsyncSession(engine) as session:
        pid = (await session.execute(text("select pg_backend_pid()"))).scalar_one()
        await db.fetch("select pg_terminate_backend($1, 10000)", pid)
        with pytest.raises(DatabaseUnavailable):
            await greet.using(session).enqueue("Ada")
    await engine.dispose()
    assert await names(db) == []
