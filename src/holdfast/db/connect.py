"""A Database: a small pool of connections, started at first use."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any, Literal, Self, TypeAlias

import asyncpg
from asyncpg import Record
from asyncpg.pool import PoolConnectionProxy
from asyncpg.transaction import Transaction

from holdfast.db.address import Address, Source, resolve_address
from holdfast.db.database_errors import BROKEN, translate, translated
from holdfast.db.database_unavailable import invalid_url, name_address
from holdfast.db.embedded import start_embedded
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import DatabaseBusy, HoldfastError

# Only the stubs know that these are generic, so the alias is a string at run time.
Connection: TypeAlias = "asyncpg.Connection[Record] | PoolConnectionProxy[Record]"

Fit: TypeAlias = Callable[["Connection", Address], Awaitable[None]]

# Around each use of a connection; it may wait, or raise an error.
Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]

Isolation = Literal["repeatable_read"]

CONNECT_TIMEOUT = timedelta(seconds=10)
STATEMENT_TIMEOUT = timedelta(seconds=60)
STARTING = timedelta(seconds=30)
POOL_SIZE = 4


class Database:
    """Owns the connections to one database; use it with `async with`, or `start` and `close`."""

    def __init__(
        self,
        address: Address | str | None = None,
        *,
        pool_size: int = POOL_SIZE,
        pool_wait: timedelta | None = None,
        application_name: str = "holdfast",
        fit: Fit | None = None,
        turn: Turn = nullcontext,
    ) -> None:
        """`pool_wait`: how long to wait for a free connection, None: as long as it takes.

        `fit` checks at the first connection that the schema fits the program. `turn`: around each use of a
        connection, but for those that the caller gets with `acquire`.
        """
        self._fit, self._turn = fit, turn
        self._pool_wait = None if pool_wait is None else pool_wait.total_seconds()
        self._address = address if isinstance(address, Address) else resolve_address(address)
        self._pool_size = pool_size
        self._application_name = application_name
        self._pool: asyncpg.Pool[Record] | None = None
        self._server: EmbeddedServer | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def address(self) -> Address:
        """Where the database is; for an embedded server complete only after `start`."""
        return self._address

    @property
    def size(self) -> int:
        """How many connections its pool has open."""
        return 0 if self._pool is None else self._pool.get_size()

    async def start(self) -> None:
        await self._started()

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await _close(pool)
        server, self._server = self._server, None
        if server is not None:
            await asyncio.to_thread(server.stop)

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        async with self._connection() as connection:
            return await connection.fetch(query, *args)

    async def execute(self, query: str, /, *args: Any) -> str:
        async with self._connection() as connection:
            return await connection.execute(query, *args)

    def transaction(self) -> AbstractAsyncContextManager[Connection]:
        """A connection in a transaction that commits at the end of the block.

        The caller may have changed settings of the session: they are reset before the next use.
        """
        return self._transaction(None, False)

    def snapshot(self) -> AbstractAsyncContextManager[Connection]:
        """A connection whose statements all see the data of one moment, and can change nothing."""
        return self._transaction("repeatable_read", True)

    @asynccontextmanager
    async def _transaction(self, isolation: Isolation | None, readonly: bool) -> AsyncIterator[Connection]:
        async with (
            self.connection() as connection,
            _within(connection.transaction(isolation=isolation, readonly=readonly)),
        ):
            yield connection

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for the caller's own statements; its session is reset afterwards."""
        pool = await self._started()
        async with self._turn():
            connection = await self.acquire()
            try:
                with replaced_if_read_only(connection):
                    yield connection
            finally:
                await _give_back(pool, connection)

    async def acquire(self) -> "PoolConnectionProxy[Record]":
        """A connection until the caller calls `release`."""
        pool = await self._started()
        with translated():
            try:
                return await pool.acquire(timeout=self._pool_wait)
            except TimeoutError:
                if pool.get_size() < self._pool_size:
                    raise  # it could not be opened in time
                raise DatabaseBusy(f"All {self._pool_size} connections to the database are in use.") from None

    async def release(self, connection: "PoolConnectionProxy[Record]") -> None:
        """Releases a connection whose session the caller did not change."""
        if self._pool is not None:
            with suppress(*BROKEN, asyncpg.InterfaceError):  # the pool has taken back one that died by itself
                await self._pool.release(connection)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        pool = await self._started()
        async with self._turn():
            connection = await self.acquire()
            with translated():
                try:
                    with replaced_if_read_only(connection):
                        yield connection
                finally:
                    await pool.release(connection)

    async def _started(self) -> "asyncpg.Pool[Record]":
        if self._pool is not None:
            return self._pool
        async with self._starting:
            if self._pool is None:
                await self._locate()
                self._pool = await self._fitting(await self._open())
        return self._pool

    async def _locate(self) -> None:
        """No database is configured: starts an embedded server, and says so."""
        if self._address.source is not Source.EMBEDDED or self._server is not None:
            return
        server, url = await asyncio.to_thread(start_embedded)
        self._server = server
        self._address = replace(self._address, url=url)

    async def _fitting(self, pool: "asyncpg.Pool[Record]") -> "asyncpg.Pool[Record]":
        if self._fit is not None:
            try:
                with translated():
                    async with pool.acquire() as connection:
                        await self._fit(connection, self._address)
            except BaseException:
                await _close(pool)
                raise
        return pool

    async def _open(self) -> "asyncpg.Pool[Record]":
        """Waits for a server that is starting, perhaps after a crash."""
        given_up_at = monotonic() + STARTING.total_seconds()
        while True:
            try:
                return await asyncpg.create_pool(
                    self._address.url,
                    min_size=1,
                    max_size=self._pool_size,
                    reset=_keep_session,
                    command_timeout=STATEMENT_TIMEOUT.total_seconds(),
                    **connect_options(self._address, self._application_name),
                )
            except (*BROKEN, ValueError) as exc:
                if not isinstance(exc, asyncpg.CannotConnectNowError) or monotonic() > given_up_at:
                    raise explained(exc, self._address) from exc
            await asyncio.sleep(0.2)


@asynccontextmanager
async def savepoint(connection: Connection) -> AsyncIterator[None]:
    """In a transaction: an error in the block undoes the statements of the block, and only those."""
    async with _within(connection.transaction()):
        yield


@asynccontextmanager
async def _within(transaction: Transaction) -> AsyncIterator[None]:
    with translated():
        await transaction.start()
    try:
        yield
    except BaseException:
        with suppress(*BROKEN):  # on a lost connection the server rolls back by itself
            await transaction.rollback()
        raise
    with translated():
        await transaction.commit()


async def connect(
    address: Address, application_name: str = "holdfast", timeout: timedelta = CONNECT_TIMEOUT
) -> "asyncpg.Connection[Record]":
    """One connection of its own, outside any pool."""
    options = connect_options(address, application_name) | {"timeout": timeout.total_seconds()}
    try:
        return await asyncpg.connect(address.url, **options)
    except (*BROKEN, ValueError) as exc:
        raise explained(exc, address) from exc


def connect_options(address: Address, application_name: str) -> dict[str, Any]:
    options: dict[str, Any] = {
        "timeout": CONNECT_TIMEOUT.total_seconds(),
        "server_settings": {"application_name": application_name},
    }
    if address.pooled:
        # The next transaction may be in another server process, where the statement is not prepared.
        options["statement_cache_size"] = 0
    return options


def explained(exc: Exception, address: Address) -> HoldfastError:
    """The error of a failed connect."""
    if isinstance(exc, ValueError) and not isinstance(exc, asyncpg.InterfaceError):
        return invalid_url(exc, address)
    return name_address(translate(exc), address)


@contextmanager
def replaced_if_read_only(connection: "PoolConnectionProxy[Record]") -> Iterator[None]:
    """A session on a server that became a standby: the address may lead to the new primary by now."""
    try:
        yield
    except asyncpg.ReadOnlySQLTransactionError:
        with suppress(asyncpg.InterfaceError):  # the pool has taken back one that died by itself
            connection.terminate()
        raise


async def _keep_session(_: object) -> None:
    """Our statements leave no session state, so the pool's own reset would be a wasted round trip."""


async def _give_back(pool: "asyncpg.Pool[Record]", connection: "PoolConnectionProxy[Record]") -> None:
    try:
        await connection.reset(timeout=CONNECT_TIMEOUT.total_seconds())
    except BROKEN:  # a TimeoutError is an OSError
        with suppress(asyncpg.InterfaceError):  # the pool has taken back one that died by itself
            connection.terminate()  # its session is in an unknown state; the pool opens a new one
    finally:
        await pool.release(connection)


async def _close(pool: "asyncpg.Pool[Record]") -> None:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT.total_seconds()):
            await pool.close()
    except BROKEN:  # a TimeoutError is an OSError
        pool.terminate()  # a dead server does not answer the close
