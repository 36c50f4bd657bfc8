"""One client's connection: requests one after the other, until it leaves or misbehaves."""

import asyncio
from collections.abc import Awaitable, Callable

from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.http_error import HttpError
from holdfast.testing.model_server.http_read import Head, read_body, read_head
from holdfast.testing.model_server.http_write import Wire
from holdfast.testing.model_server.limits import Limits

# Serves a request; the last argument tells, at any time, why the connection ended.
Serve = Callable[[Head, bytes, Wire, Callable[[], Fate]], Awaitable[None]]


class Connection(asyncio.StreamReaderProtocol):
    """A client that leaves ends its call at once, as with real model servers: the slot is free for others."""

    def __init__(self, limits: Limits, serve: Serve, everybody: "set[Connection]") -> None:
        self._event_loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limits.head_bytes, self._event_loop)
        super().__init__(reader, self._begin, self._event_loop)
        self._limits = limits
        self._serve = serve
        self._everybody = everybody
        self._why = Fate.CLIENT_LEFT
        self._is_ending = False
        self._wire: Wire | None = None
        self.task: asyncio.Task[None] | None = None

    def eof_received(self) -> bool:
        super().eof_received()
        self._end(Fate.CLIENT_LEFT)
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._end(Fate.CLIENT_LEFT)

    def abort(self, why: Fate) -> None:
        self._end(why)
        if self._wire is not None:
            self._wire.reset()

    def _end(self, why: Fate) -> None:
        if self.task is not None and not self._is_ending:
            self._is_ending = True
            self._why = why
            self.task.cancel()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._wire = Wire(writer, self._limits)
        if len(self._everybody) >= self._limits.connections:
            self._wire.reset()
            return
        self._everybody.add(self)
        self.task = self._event_loop.create_task(self._converse(reader, writer, self._wire))
        self.task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._everybody.discard(self)
        if not task.cancelled() and (exc := task.exception()) is not None:
            self._event_loop.call_exception_handler(
                {"message": "the model server failed to serve a client", "exception": exc, "task": task}
            )

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wire: Wire) -> None:
        try:
            while wire.keeps_alive and (first := await self._wait(reader)):
                await self._exchange(reader, first, wire)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            wire.reset()  # it left in the middle of a request, or does not take its answer
        finally:
            writer.close()

    async def _wait(self, reader: asyncio.StreamReader) -> bytes:
        """The first byte of the next request; empty lines before it mean nothing."""
        try:
            async with asyncio.timeout(self._limits.idle.total_seconds()):
                while (first := await reader.read(1)) in (b"\r", b"\n"):
                    pass
        except TimeoutError:
            return b""
        return first

    async def _exchange(self, reader: asyncio.StreamReader, first: bytes, wire: Wire) -> None:
        wire.status = None
        try:
            head, body = await self._read(reader, first, wire)
            await self._serve(head, body, wire, lambda: self._why)
        except HttpError as exc:
            wire.keeps_alive = wire.keeps_alive and not exc.fatal
            await wire.send_json(exc.status, {"error": {"message": exc.message}}, {})
            if exc.fatal:
                wire.end()
                await _let_it_read(reader)

    async def _read(self, reader: asyncio.StreamReader, first: bytes, wire: Wire) -> tuple[Head, bytes]:
        try:
            async with asyncio.timeout(self._limits.read.total_seconds()):
                head = await read_head(reader, first, self._limits)
                wire.keeps_alive, wire.is_old = head.keeps_alive, head.is_old
                if head.wants_continue:
                    await wire.send_continue()
                return head, await read_body(reader, head, self._limits)
        except TimeoutError:
            seconds = self._limits.read.total_seconds()
            raise HttpError(408, f"The request was not complete after {seconds:g} s.", fatal=True) from None


async def _let_it_read(reader: asyncio.StreamReader) -> None:
    """Closing with unread bytes resets the connection, and the reason would be lost: swallow some first."""
    try:
        async with asyncio.timeout(0.5):
            for _ in range(64):
                if not await reader.read(64 * 1024):
                    return
    except TimeoutError:
        return
