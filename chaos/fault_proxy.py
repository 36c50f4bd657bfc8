"""A TCP proxy that injects network faults: delays, partitions, half-open connections, resets, cut answers.

    async with FaultProxy(("127.0.0.1", 8080)) as proxy:
        ...                     # clients connect to proxy.port
        proxy.partition()       # no data passes, and no connection reports an error
        proxy.heal()

A fault lasts until `restore`; half-open connections remain until `heal`. A server behind the proxy finds the
connection of a request by the client address that it sees: `proxy.connection(address).reset()`.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Protocol, Self

from holdfast.testing.listener import Listener, reset

CHUNK = 65536

Address = tuple[str, int]


class Conversation(Protocol):
    """What one connection has sent, for `lose_answers`: it decides which answers are worth losing."""

    def sent(self, data: bytes) -> None: ...

    def is_answer(self, data: bytes) -> bool: ...


class AnyAnswer:
    """Every piece of data from the server is an answer."""

    def sent(self, data: bytes) -> None:
        """Nothing depends on the request."""

    def is_answer(self, data: bytes) -> bool:
        return True


class FaultProxy:
    """Listens on loopback and forwards each connection to the target.

    `held`, `delayed`: pieces of data that a fault stopped or slowed. `answers_lost`, `turned_away`: how many.
    """

    def __init__(
        self,
        target: str | Address,
        *,
        port: int = 0,
        conversation: Callable[[], Conversation] = AnyAnswer,
    ) -> None:
        """`target`: a host and port, or the path of a Unix socket."""
        self.port = port
        self._target = target
        self._conversation = conversation
        self._to_server, self._to_client = asyncio.Event(), asyncio.Event()
        self.held = 0
        self.delayed = 0
        self.answers_lost = 0
        self.turned_away = 0
        self._delay = 0.0
        self._answers_to_lose = 0
        self._cut_after: int | None = None
        self._refusals: list[bytes] = []
        self._open: set[ProxiedConnection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: Listener | None = None
        self.restore()

    async def __aenter__(self) -> Self:
        self._listener = Listener(self.port, self._accept)
        self.port = self._listener.port
        self.accept()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.refuse()
        self.reset()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # an aborted transport closes its socket one turn later
        if self._listener is not None:
            self._listener.close()

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._open)

    def connection(self, address: Address) -> "ProxiedConnection":
        """The one that the server sees as a client with this address."""
        for connection in self._open:
            if connection.address == address:
                return connection
        raise LookupError(f"no open connection has the address {address[0]}:{address[1]}")

    def delay(self, seconds: float) -> None:
        """Each piece of data takes this much longer, in each direction."""
        self._delay = seconds

    def partition(self, *, to_server: bool = True, to_client: bool = True) -> None:
        """Hold the data of both directions, or of one; no connection reports an error."""
        for gate, is_closed in ((self._to_server, to_server), (self._to_client, to_client)):
            if is_closed:
                gate.clear()

    def half_open(self) -> int:
        """Close the server's side of each connection and leave the client's open. How many there are."""
        for connection in self._open:
            connection.half_open()
        return len(self._open)

    def reset(self) -> int:
        """Break every connection with a TCP reset. How many there were."""
        broken = list(self._open)
        for connection in broken:
            connection.reset()
        return len(broken)

    def lose_answers(self, count: int) -> None:
        """The server carries out the next requests; instead of the answer the client gets a reset."""
        self._answers_to_lose = count

    def cut_answers(self, after: int) -> None:
        """Reset each connection, open or new, once the client has got this many more bytes."""
        self._cut_after = after
        for connection in self._open:
            connection.cut_answer(after)

    def turn_away(self, count: int, answer: bytes) -> None:
        """Send these bytes to the next clients and close; the server sees none of them."""
        self._refusals = [answer] * count

    def refuse(self) -> None:
        """Stop listening, as a server that is down: connecting fails. Open connections remain."""
        if self._listener is not None:
            self._listener.refuse()

    def accept(self) -> None:
        """Listen again."""
        if self._listener is not None:
            self._listener.accept()

    def restore(self) -> None:
        """End all faults; half-open connections remain so, and a closed port stays closed."""
        self._to_server.set()
        self._to_client.set()
        self._delay = 0.0
        self._answers_to_lose = 0
        self._cut_after = None
        self._refusals = []
        for connection in self._open:
            connection.cut_answer(None)

    def heal(self) -> None:
        """End all faults, and reset the connections that are half open."""
        self.restore()
        for connection in [one for one in self._open if one.is_half_open]:
            connection.reset()

    def _accept(self, accepted: socket.socket) -> None:
        self._spawn(self._serve(accepted))

    async def _serve(self, accepted: socket.socket) -> None:
        reader, client = await _opened(accepted)
        try:
            await self._to_server.wait()
            await self._to_client.wait()
            if self._refusals:
                await self._turn_away(reader, client)
                return
            answers, server = await self._connect()
        except OSError:
            _abort(client)
            return
        except asyncio.CancelledError:
            _abort(client)
            raise
        connection = ProxiedConnection(self, client, server)
        connection.cut_answer(self._cut_after)
        self._open.add(connection)
        connection.forward(reader, answers)

    async def _turn_away(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        answer = self._refusals.pop()
        self.turned_away += 1
        await reader.read(1)
        client.write(answer)
        client.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, str):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(*self._target)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _receive(self, source: asyncio.StreamReader, gate: asyncio.Event) -> bytes:
        """The next piece of data, after what the faults do to it; empty at the end."""
        data = await source.read(CHUNK)
        if data and not gate.is_set():
            self.held += 1
            await gate.wait()
        if data and self._delay:
            await asyncio.sleep(self._delay)
            self.delayed += 1
        return data

    def _takes_answer(self) -> bool:
        """Whether the answer that has come is one to lose."""
        if self._answers_to_lose == 0:
            return False
        self._answers_to_lose -= 1
        self.answers_lost += 1
        return True

    def _forget(self, connection: "ProxiedConnection") -> None:
        self._open.discard(connection)


class ProxiedConnection:
    """A client's connection and the one behind it. `address`: the client, as the server sees it."""

    def __init__(self, proxy: FaultProxy, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.address = server.get_extra_info("sockname")
        self.is_half_open = False
        self._proxy = proxy
        self._client = client
        self._server = server
        self._conversation = proxy._conversation()
        self._bytes_left: int | None = None
        self._resets_at_end = False
        self._pumps: list[asyncio.Task[None]] = []

    def reset(self) -> None:
        """Both sides see a broken connection."""
        self._end(_abort)

    def cut_answer(self, after: int | None) -> None:
        """Reset the connection once the client has got this many more bytes; None lets all of them pass."""
        self._bytes_left = after

    def reset_at_end(self) -> None:
        """When the server closes the connection, the client sees a reset."""
        self._resets_at_end = True

    def half_open(self) -> None:
        """Close the server's side and leave the client's open."""
        self.is_half_open = True
        self._stop()
        _abort(self._server)

    def forward(self, requests: asyncio.StreamReader, answers: asyncio.StreamReader) -> None:
        # `drain` returns when the kernel has all the data, so that a reset after it loses none.
        self._client.transport.set_write_buffer_limits(high=0)
        self._pumps = [
            self._proxy._spawn(self._forward_requests(requests)),
            self._proxy._spawn(self._forward_answers(answers)),
        ]

    async def _forward_requests(self, requests: asyncio.StreamReader) -> None:
        try:
            while data := await self._proxy._receive(requests, self._proxy._to_server):
                self._conversation.sent(data)
                self._server.write(data)
                await self._server.drain()
            self._server.write_eof()
        except OSError:
            self.reset()

    async def _forward_answers(self, answers: asyncio.StreamReader) -> None:
        try:
            while data := await self._proxy._receive(answers, self._proxy._to_client):
                if self._conversation.is_answer(data) and self._proxy._takes_answer():
                    self.reset()
                    return
                self._client.write(self._uncut(data))
                await self._client.drain()
                if self._bytes_left == 0:
                    self.reset()
                    return
        except OSError:
            self.reset()
        else:
            self._end(_abort if self._resets_at_end else asyncio.StreamWriter.close)

    def _uncut(self, data: bytes) -> bytes:
        if self._bytes_left is not None:
            data = data[: self._bytes_left]
            self._bytes_left -= len(data)
        return data

    def _end(self, close: Callable[[asyncio.StreamWriter], None]) -> None:
        self._proxy._forget(self)
        self._stop()
        close(self._client)
        close(self._server)

    def _stop(self) -> None:
        for pump in self._pumps:
            if pump is not asyncio.current_task():
                pump.cancel()


async def _opened(accepted: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await asyncio.open_connection(sock=accepted)
    except BaseException:
        accepted.close()
        raise


def _abort(writer: asyncio.StreamWriter) -> None:
    """A reset instead of an orderly close."""
    reset(writer.transport)
