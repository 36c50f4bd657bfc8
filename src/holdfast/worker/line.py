"""A connection of the worker's own, which comes back by itself after a loss."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any

import asyncpg
from asyncpg import Record

from holdfast.db.address import Address
from holdfast.db.connect import CONNECT_TIMEOUT, connect
from holdfast.db.errors import BROKEN, translate
from holdfast.db.statement import Executor
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.forked import Home

# A connection whose other end is gone without a word answers nothing: what waits on it waits that long. Who
# has a shorter lease gives that, so that its chores go on within the time in which others count on them.
STATEMENT_TIMEOUT = timedelta(seconds=30)
# A handshake that is never answered must not outlast the lease either, nor the five seconds in which a
# leaving worker sends its last ends; but a busy server needs a moment to start a session.
LEAST_CONNECT_TIMEOUT = timedelta(seconds=3)
PROVED_FOR = 3.0


class Line:
    """One statement at a time; opened by the first. With channels it listens too, and tells of gaps.

    A loss is the caller's to see, who tries again after a pause; the next statement connects anew.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        channels: Mapping[str, Callable[[str], None]] | None = None,
        on_gap: Callable[[], None] | None = None,
        timeout: timedelta = STATEMENT_TIMEOUT,
    ) -> None:
        self._address = address
        self._name = name
        self._channels = channels or {}
        self._on_gap = on_gap
        self._timeout = min(timeout, STATEMENT_TIMEOUT).total_seconds()
        self._connect_timeout = min(max(timeout, LEAST_CONNECT_TIMEOUT), CONNECT_TIMEOUT)
        self._lock = asyncio.Lock()
        self._connection: asyncpg.Connection[Record] | None = None
        self._answered_at = 0.0
        self._is_down = False
        self._home = Home()
        self.sent_at: float | None = None

    @property
    def address(self) -> Address:
        return self._address

    @property
    def name(self) -> str:
        return self._name

    @property
    def application(self) -> str:
        """By which name the server knows it."""
        return f"holdfast {self._name}"

    @property
    def pid(self) -> int | None:
        """Of the server's process, which behind a pooler is another for each statement."""
        connection = self._connection
        return None if connection is None or self._address.pooled else connection.get_server_pid()

    @property
    def is_listening(self) -> bool:
        """Whether the session with the channels has lately answered: only that proves that it lives."""
        return bool(self._channels) and monotonic() - self._answered_at < PROVED_FOR

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[Executor]:
        """The line for several statements, or for a caller who chooses what to send once it is free."""
        async with self._lock:
            yield _Taken(self)

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        async with self._lock:
            return await self.send(query, args)

    async def execute(self, query: str, /, *args: Any) -> str:
        await self.fetch(query, *args)
        return ""

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None or connection.is_closed():
            return
        try:
            await connection.close(timeout=2)
        except BROKEN:
            connection.terminate()  # a dead server cannot be told goodbye

    def terminate(self) -> None:
        """Forget the connection without a word."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    async def send(self, query: str, args: tuple[Any, ...]) -> list[Record]:
        """Only for who has taken the line. A copy of the worker would speak into the worker's own session."""
        self._home.leave_if_forked()
        try:
            connection = await self._open()
            self.sent_at = monotonic()
            rows = await connection.fetch(query, *args, timeout=self._timeout)
        except BaseException as exc:
            self._note_loss(exc)
            raise
        finally:
            self.sent_at = None
        self._answered_at = monotonic()
        if self._is_down:
            self._is_down = False
            emit(Event.CONNECTION_BACK, name=self._name)
        return rows

    async def _open(self) -> "asyncpg.Connection[Record]":
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self.terminate()
        connection = await connect(self._address, self.application, self._connect_timeout)
        try:
            for channel, callback in self._channels.items():
                await connection.add_listener(channel, _payload_to(callback))
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        if self._on_gap is not None:
            self._on_gap()
        return connection

    def _note_loss(self, exc: BaseException) -> None:
        """After a cancelled or timed out statement too: its answer may still come."""
        connection = self._connection
        if connection is not None and isinstance(exc, asyncpg.PostgresError) and not connection.is_closed():
            return  # the server refused the statement; the connection is fine
        self.terminate()
        self._answered_at = 0.0
        if not self._is_down and isinstance(exc, Exception):
            self._is_down = True
            emit(Event.CONNECTION_LOST, logging.WARNING, name=self._name, because=translate(exc).message)


class _Taken:
    """The line in the hands of who has taken it."""

    __slots__ = ("_line",)

    def __init__(self, line: Line) -> None:
        self._line = line

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        return await self._line.send(query, args)

    async def execute(self, query: str, /, *args: Any) -> str:
        await self._line.send(query, args)
        return ""


def listening_line(
    address: Address,
    name: str,
    channels: Mapping[str, Callable[[str], None]],
    on_gap: Callable[[], None],
    timeout: timedelta,
) -> Line:
    """Past the pooler, if there is a way. Where no LISTEN gets through, it does not listen: poll."""
    if address.pooled and address.direct_url is None:
        return Line(address, name, timeout=timeout)
    direct = replace(address, url=address.listen_url, pooled=False)
    return Line(direct, name, channels, on_gap, timeout)


def _payload_to(callback: Callable[[str], None]) -> Callable[[object, int, str, object], None]:
    def heard(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        callback(str(payload))

    return heard
