"""A command's time with the database: connect, see that the schema fits, work, leave."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar
from uuid import UUID

import typer

from holdfast.cli.frame.global_options import Target, start_logging, target_of, use_data_dir
from holdfast.db.address import Address, Source, resolve_address
from holdfast.db.connect import Database
from holdfast.db.embedded import start_embedded
from holdfast.db.schema_check import bring_up_to_date, require_schema
from holdfast.db.short_ids import ids_ending_in
from holdfast.model.error import InvalidOption, NotFound

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


def full_id(ending: str, what: str) -> UUID:
    """The id of a job, run or worker by its last 12 characters, as tables show it where they are narrow."""

    async def look() -> list[UUID]:
        async with connected(Target.given) as database:
            return await ids_ending_in(database, what, ending)

    found = asyncio.run(look())
    if not found:
        raise NotFound(
            f"No {what} has an id that ends in {ending}.", f"'holdfast {what}s list' shows the ids"
        )
    if len(found) > 1:
        raise InvalidOption(f"Several {what}s have an id that ends in {ending}.", "give the whole id")
    return found[0]


async def ensure_schema(database: Database, target: Target) -> None:
    """An embedded database is migrated at once; on a server, a person runs holdfast migrate."""
    async with database.connection() as connection:
        if target.data_dir is not None or database.address.source is Source.EMBEDDED:
            await bring_up_to_date(connection)
        else:
            await require_schema(connection, database.address)


@contextmanager
def environment_of(target: Target) -> Iterator[None]:
    """The app reads the environment, so what the command line says is put there."""
    if target.database is not None:
        os.environ["HOLDFAST_DATABASE_URL"] = target.database
    if target.data_dir is None:
        yield
        return
    use_data_dir(target.data_dir)
    server, url = start_embedded()
    os.environ["HOLDFAST_DATABASE_URL"] = url
    try:
        asyncio.run(prepare_embedded(url))
        yield
    finally:
        server.stop()


def refuse_two_databases(database: Database, target: Target) -> None:
    if target.database is not None and database.address.source is Source.GIVEN:
        raise InvalidOption(
            "The app sets its own database, so --database has no effect.",
            "leave out --database, or write app = Holdfast() without a database",
        )


async def prepare_embedded(url: str) -> None:
    """For a program that is given the URL of an embedded server, and so cannot know that it is ours."""
    async with Database(url, pool_size=1) as database, database.connection() as connection:
        await bring_up_to_date(connection)
