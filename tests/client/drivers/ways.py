"""Every kind of connection that jobs can be enqueued on: a transaction of it, committed unless it raises."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import partial
from typing import Any

import asyncpg
import psycopg
from django.db import connection, connections, transaction
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from tests.client.drivers.django_settings import use_database
from tests.client.drivers.transaction import Blocking, Transaction, Waiting

Way = Callable[[str], AbstractAsyncContextManager[Transaction]]
Opened = tuple[object, Callable[[str], Any]]

INSERT = "insert into written values ({})"
SQLALCHEMY_INSERT = text(INSERT.format(":name"))


@asynccontextmanager
async def with_asyncpg(url: str) -> AsyncIterator[Transaction]:
    conn = await asyncpg.connect(url)
    try:
        async with conn.transaction():
            yield Waiting(conn, lambda name: conn.execute(INSERT.format("$1"), name))
    finally:
        await conn.close()


@asynccontextmanager
async def with_async_psycopg(url: str) -> AsyncIterator[Transaction]:
    async with await psycopg.AsyncConnection.connect(url) as conn:
        yield Waiting(conn, lambda name: conn.execute(INSERT.format("%s"), [name]))


@asynccontextmanager
async def with_async_connection(driver: str, url: str) -> AsyncIterator[Transaction]:
    engine = create_async_engine(sqlalchemy_url(url, driver))
    try:
        async with engine.begin() as conn:
            yield Waiting(conn, lambda name: conn.execute(SQLALCHEMY_INSERT, {"name": name}))
    finally:
        await engine.dispose()


@asynccontextmanager
async def with_async_session(driver: str, url: str) -> AsyncIterator[Transaction]:
    engine = create_async_engine(sqlalchemy_url(url, driver))
    try:
        async with AsyncSession(engine) as session, session.begin():
            yield Waiting(session, lambda name: session.execute(SQLALCHEMY_INSERT, {"name": name}))
    finally:
        await engine.dispose()


@contextmanager
def psycopg_connection(url: str) -> Iterator[Opened]:
    with psycopg.connect(url) as conn:
        yield conn, lambda name: conn.execute(INSERT.format("%s"), [name])


@contextmanager
def sqlalchemy_connection(url: str) -> Iterator[Opened]:
    engine = create_engine(sqlalchemy_url(url, "psycopg"))
    try:
        with engine.begin() as conn:
            yield conn, lambda name: conn.execute(SQLALCHEMY_INSERT, {"name": name})
    finally:
        engine.dispose()


@contextmanager
def sqlalchemy_session(url: str) -> Iterator[Opened]:
    engine = create_engine(sqlalchemy_url(url, "psycopg"))
    try:
        with Session(engine) as session, session.begin():
            yield session, lambda name: session.execute(SQLALCHEMY_INSERT, {"name": name})
    finally:
        engine.dispose()


@contextmanager
def sqlalchemy_scoped_session(url: str) -> Iterator[Opened]:
    engine = create_engine(sqlalchemy_url(url, "psycopg"))
    sessions = scoped_session(sessionmaker(engine))
    try:
        with sessions.begin():
            yield sessions, lambda name: sessions.execute(SQLALCHEMY_INSERT, {"name": name})
    finally:
        sessions.remove()
        engine.dispose()


@contextmanager
def django_default(url: str) -> Iterator[Opened]:
    use_database("default", url)
    try:
        with transaction.atomic():
            yield connection, lambda name: connection.cursor().execute(INSERT.format("%s"), [name])
    finally:
        connection.close()


@contextmanager
def django_other(url: str) -> Iterator[Opened]:
    use_database("other", url)
    conn = connections["other"]
    try:
        with transaction.atomic(using="other"):
            yield conn, lambda name: conn.cursor().execute(INSERT.format("%s"), [name])
    finally:
        conn.close()
        del connections["other"]


@asynccontextmanager
async def blocking(
    open_it: Callable[[str], AbstractContextManager[Opened]], url: str
) -> AsyncIterator[Transaction]:
    """The whole transaction in one thread, since Django has a connection for each."""
    with ThreadPoolExecutor(1) as thread:
        block = open_it(url)
        conn, write = await run(thread, block.__enter__)
        try:
            yield Blocking(conn, write, thread)
        except BaseException as exc:
            if not await run(thread, partial(block.__exit__, type(exc), exc, exc.__traceback__)):
                raise
        else:
            await run(thread, partial(block.__exit__, None, None, None))


async def run(thread: Executor, work: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(thread, work)


def sqlalchemy_url(url: str, driver: str) -> str:
    return url.replace("postgresql://", f"postgresql+{driver}://", 1)


WAYS: dict[str, Way] = {
    "asyncpg": with_asyncpg,
    "psycopg": partial(blocking, psycopg_connection),
    "psycopg async": with_async_psycopg,
    "sqlalchemy connection": partial(blocking, sqlalchemy_connection),
    "sqlalchemy session": partial(blocking, sqlalchemy_session),
    "sqlalchemy scoped session": partial(blocking, sqlalchemy_scoped_session),
    "sqlalchemy async connection on psycopg": partial(with_async_connection, "psycopg"),
    "sqlalchemy async connection on asyncpg": partial(with_async_connection, "asyncpg"),
    "sqlalchemy async session on psycopg": partial(with_async_session, "psycopg"),
    "sqlalchemy async session on asyncpg": partial(with_async_session, "asyncpg"),
    "django": partial(blocking, django_default),
    "django other database": partial(blocking, django_other),
}
