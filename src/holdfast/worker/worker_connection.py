"""A connection of the worker that reconnects by itself."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any

import asyncpg
from asyncpg import Record

from holdfast.db.address import Address
from holdfast.db.connect import CONNECT_TIMEOUT, connect
from holdfast.db.database_errors import BROKEN, translate
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.original_process import OriginalProcess
from holdfast.worker.verb_times import StatementTimes

# A half-open connection never answers: a statement on it waits this long. A worker with a shorter lease
# passes its lease, so that its maintenance tasks continue within the time that others rely on.
STATEMENT_TIMEOUT = timedelta(seconds=30)
# A handshake without an answer must not outlast the lease either, nor the five seconds in which a worker
# sends its last ends on exit; but a busy server needs a moment to start a session.
LEAST_CONNECT_TIMEOUT = timedelta(seconds=3)
PROVED_FOR = 3.0

# Called with connection, pid, channel and payload.
Listener = Callable[[object, int, str, object], None]


class WorkerConnection:
    """One statement at a time; the first one connects. With channels it also listens, and reports gaps.

    The caller sees a lost connection as an error and retries after a pause; the next statement reconnects.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        channels: Mapping[str, Listener] | None = None,
        on_gap: Callable[[], None] | None = None,
        timeout: timedelta = STATEMENT_TIMEOUT,
    ) -> None:
        self._address = address
        self._name = name
        self._channels = channels or {}
        self._on_gap = on_gap
        self._timeout = min(timeout, STATEMENT_TIMEOUT).total_seconds()
        self._connect_timeout = min(max(timeout, LEAST_CONNECT_TIMEOUT), CONNECT_TIMEOUT)
        self.lock = asyncio.Lock()
        self.held = HeldConnection(self)
        self._connection: asyncpg.Connection[Record] | None = None
        self._answered_at = 0.0
        self._is_down = False
        self._home = OriginalProcess()
        self.sent_at: float | None = None
        self.times: StatementTimes = {}

    @property
    def address(self) -> Address:
        return self._address

    @property
    def name(self) -> str:
        return self._name

    @property
    def application(self) -> str:
        """Its application_name on the server."""
        return f"holdfast {self._name}"

    @property
    def pid(self) -> int | None:
        """The pid of the server's process; behind a pooler, a different one for each statement."""
        connection = self._connection
        return None if connection is None or self._address.pooled else connection.get_server_pid()

    @property
    def is_open(self) -> bool:
        return self._connection is not None and not self._connection.is_closed()

    @property
    def is_listening(self) -> bool:
        """Whether the listening session has answered lately: only that proves that it is alive."""
        return bool(self._channels) and monotonic() - self._answered_at < PROVED_FOR

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        async with self.lock:
            return await self.send(query, *args)

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
            connection.terminate()  # a dead server does not answer the close

    def terminate(self) -> None:
        """Drops the connection without closing it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    async def send(self, query: str, /, *args: Any) -> list[Record]:
        """Only for the caller that has the lock. A forked copy would write into the worker's own session."""
        self._home.leave_if_forked()
        try:
            connection = self._connection
            if connection is None or connection.is_closed():
                connection = await self._open()
            self.sent_at = began = monotonic()
            rows = await connection.fetch(query, *args, timeout=self._timeout)
        except BaseException as exc:
            self._note_loss(exc)
            raise
        finally:
            self.sent_at = None
        self._answered_at = monotonic()
        # Once per turn and not per job; without a call of its own.
        noted = self.times.setdefault(query, [0, 0.0])
        noted[0] += 1
        noted[1] += self._answered_at - began
        if self._is_down:
            self._is_down = False
            emit(Event.CONNECTION_RESTORED, name=self._name)
        return rows

    async def _open(self) -> "asyncpg.Connection[Record]":
        self.terminate()
        connection = await connect(self._address, self.application, self._connect_timeout)
        try:
            for channel, callback in self._channels.items():
                await connection.add_listener(channel, callback)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        if self._on_gap is not None:
            self._on_gap()
        return connection

    def _note_loss(self, exc: BaseException) -> None:
        """Also after a cancelled or timed out statement: its answer may still arrive. And on a server that
        became a standby: the address may lead to the new primary by now.
        """
        connection = self._connection
        if (
            connection is not None
            and not connection.is_closed()
            and isinstance(exc, asyncpg.PostgresError)
            and not isinstance(exc, asyncpg.ReadOnlySQLTransactionError)
        ):
            return  # the server refused the statement; the connection is fine
        self.terminate()
        self._answered_at = 0.0
        if not self._is_down and isinstance(exc, Exception):
            self._is_down = True
            emit(Event.CONNECTION_LOST, name=self._name, because=translate(exc).message)


class HeldConnection:
    """The connection for the caller that has its lock: for several statements, or to decide what to send
    once the connection is free.
    """

    __slots__ = ("_connection", "fetch")

    def __init__(self, connection: WorkerConnection) -> None:
        self._connection = connection
        self.fetch = connection.send

    async def execute(self, query: str, /, *args: Any) -> str:
        await self._connection.send(query, *args)
        return ""


def listening_connection(
    address: Address,
    name: str,
    channels: Mapping[str, Listener],
    on_gap: Callable[[], None],
    timeout: timedelta,
) -> WorkerConnection:
    """Directly to the server if its address is known. Without one, a pooler blocks LISTEN: only poll."""
    if address.pooled and address.direct_url is None:
        return WorkerConnection(address, name, timeout=timeout)
    direct = replace(address, url=address.listen_url, pooled=False)
    return WorkerConnection(direct, name, channels, on_gap, timeout)
