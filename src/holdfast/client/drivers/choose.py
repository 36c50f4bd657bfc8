"""Which driver a connection belongs to, by the names of its classes, so that no driver is imported for it."""

from importlib import import_module

from holdfast.client.drivers.driver import Driver, NewDriver
from holdfast.model.error import InvalidOption

# The class of the connection, or one that it inherits from -> our file and class for it.
CLASSES = {
    "asyncpg.connection.Connection": ("asyncpg", "Asyncpg"),
    "asyncpg.pool.PoolConnectionProxy": ("asyncpg", "Asyncpg"),
    "psycopg.Connection": ("psycopg", "Psycopg"),
    "psycopg.AsyncConnection": ("psycopg", "AsyncPsycopg"),
    "sqlalchemy.engine.base.Connection": ("sqlalchemy", "Sqlalchemy"),
    "sqlalchemy.orm.session.Session": ("sqlalchemy", "Sqlalchemy"),
    "sqlalchemy.orm.scoping.scoped_session": ("sqlalchemy", "Sqlalchemy"),
    "sqlalchemy.ext.asyncio.engine.AsyncConnection": ("sqlalchemy", "AsyncSqlalchemy"),
    "sqlalchemy.ext.asyncio.session.AsyncSession": ("sqlalchemy", "AsyncSqlalchemy"),
    "sqlalchemy.ext.asyncio.scoping.async_scoped_session": ("sqlalchemy", "AsyncSqlalchemy"),
    "django.db.backends.base.base.BaseDatabaseWrapper": ("django", "Django"),
    "django.utils.connection.ConnectionProxy": ("django", "Django"),
}

SUPPORTED = (
    "asyncpg's Connection, psycopg's Connection and AsyncConnection, SQLAlchemy's Connection, Session,"
    " AsyncConnection and AsyncSession, and Django's connection"
)


def driver_for(conn: object) -> Driver:
    for kind in type(conn).__mro__:
        found = CLASSES.get(_name(kind))
        if found is not None:
            return _load(*found)(conn)
    raise InvalidOption(
        f"Connections of the type {_name(type(conn))} are not supported.",
        f"pass one of these: {SUPPORTED}; with any other driver, call the SQL function holdfast.enqueue"
        " in the transaction",
    )


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _load(file: str, name: str) -> NewDriver:
    made: NewDriver = getattr(import_module(f"holdfast.client.drivers.{file}"), name)
    return made
