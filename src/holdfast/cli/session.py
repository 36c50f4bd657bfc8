"""A command's time with the database: connect, see that the schema fits, work, leave."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import typer

from holdfast.cli.data_dir import use_data_dir
from holdfast.cli.output import say
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.db.address import Address, Source, resolve_address
from holdfast.db.chores import make_partitions
from holdfast.db.connect import Connection, Database
from holdfast.db.migrate import check_schema, migrate, pending
from holdfast.model.error import SchemaAhead

T = TypeVar("T")


def with_database(context: typer.Context, work: Callable[[Database], Awaitable[T]]) -> T:
    """Run `work` on a database whose schema fits this program."""
    target = target_of(context)
    start_logging(target)

    async def session() -> T:
        async with connected(target) as database:
            await ensure_schema(database, target)
            return await work(database)

    return asyncio.run(session())


@asynccontextmanager
async def connected(target: Target) -> AsyncIterator[Database]:
    """A database, whatever state its schema is in."""
    async with Database(address_of(target), pool_size=2, application_name="holdfast cli") as database:
        yield database


def address_of(target: Target) -> Address:
    if target.data_dir is not None:
        use_data_dir(target.data_dir)
        return Address(None, Source.EMBEDDED)
    return resolve_address(target.database)


async def ensure_schema(database: Database, target: Target) -> None:
    """An embedded database is ours to migrate; a foreign one waits for somebody's word."""
    if target.data_dir is not None or database.address.source is Source.EMBEDDED:
        await bring_up_to_date(database)
        return
    async with database.connection() as connection:
        await check_schema(connection)


async def bring_up_to_date(database: Database) -> None:
    async with database.connection() as connection:
        if await _is_stale(connection):
            say("holdfast: bringing the embedded database's schema up to date")
            await migrate(connection)
            await make_partitions(connection)


async def _is_stale(connection: Connection) -> bool:
    """A newer program may share the data directory: this one can work with its schema."""
    try:
        return bool(await pending(connection))
    except SchemaAhead:
        return False
