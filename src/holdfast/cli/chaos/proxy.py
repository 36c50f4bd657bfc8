"""A way to the database that can be slow, stand still, be cut, or swallow an answer."""

import asyncio
import re
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass, field

from holdfast.cli.chaos.wire import Client

# The end of what PostgreSQL sends after a statement outside a transaction: by then it has committed. What it
# sends when somebody connects or prepares ends the same way, but without the word for what was done. Of what
# was read nothing is lost with the answer: only a SELECT that calls a verb counts. The second form of its end
# is for who asked for a single row.
READ = re.compile(rb"C\x00\x00\x00.SELECT|s\x00\x00\x00\x04", re.DOTALL)
WRITTEN = re.compile(rb"C\x00\x00\x00.(?:INSERT|UPDATE|DELETE|COMMIT)", re.DOTALL)
COMMITTED = b"Z\x00\x00\x00\x05I"
CHUNK = 65536


@dataclass(eq=False, slots=True)
class Pair:
    """One client's connection and the one behind it. `is_deaf`: the server's is gone, nobody told."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    pumps: list["asyncio.Task[None]"] = field(default_factory=list)
    is_deaf: bool = False
    said: Client = field(default_factory=Client)


class Link:
    """Listens on a port of its own. Every fault lasts until `mend`, and what is half open until `heal`.

    `held`, `delayed`: pieces of data that had to wait. `answers_lost`: to statements of substance.
    """

    def __init__(self, target: str) -> None:
        """`target`: the server's socket."""
        self._target = target
        self._up, self._down = asyncio.Event(), asyncio.Event()
        self._delay = 0.0
        self._answers_to_lose = 0
        self._pairs: set[Pair] = set()
        self._server: asyncio.Server | None = None
        self.held = 0
        self.delayed = 0
        self.answers_lost = 0
        self.heal()

    async def open(self) -> int:
        """Its port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        pumps = [pump for pair in self._pairs for pump in pair.pumps]
        self.reset()
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)

    @property
    def connections(self) -> int:
        return len(self._pairs)

    def slow_down(self, delay: float) -> None:
        """Every piece of data takes that many seconds, in each direction."""
        self._delay = delay

    def cut(self, *, up: bool = True, down: bool = True) -> None:
        """Nothing gets through, to the server or from it, and nobody is told."""
        for gate, is_cut in ((self._up, up), (self._down, down)):
            if is_cut:
                gate.clear()

    def lose_answers(self, count: int) -> None:
        """The next statements of substance are carried out; who sent them sees a broken connection."""
        self._answers_to_lose = count

    def half_open(self) -> int:
        """The server's side is gone; the clients go on talking to nobody. How many there are."""
        for pair in self._pairs:
            pair.is_deaf = True
            for pump in pair.pumps:
                pump.cancel()
            _abort(pair.server)
        return len(self._pairs)

    def reset(self) -> int:
        """Breaks every connection, and both sides see it. How many there were."""
        broken = list(self._pairs)
        for pair in broken:
            self._break(pair)
        return len(broken)

    def mend(self) -> None:
        """Nothing is held, slow or lost any more; those that are deaf stay so."""
        self._up.set()
        self._down.set()
        self._delay = 0.0
        self._answers_to_lose = 0

    def heal(self) -> None:
        """And who was deaf learns that its connection is broken."""
        self.mend()
        for pair in [pair for pair in self._pairs if pair.is_deaf]:
            self._break(pair)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._up.wait()
        await self._down.wait()
        try:
            behind, server = await asyncio.open_unix_connection(self._target)
        except OSError:
            _abort(writer)
            return
        pair = Pair(writer, server)
        self._pairs.add(pair)
        pair.pumps = [
            asyncio.create_task(self._carry(pair, reader, server, self._up)),
            asyncio.create_task(self._carry(pair, behind, writer, self._down)),
        ]

    async def _carry(
        self, pair: Pair, source: asyncio.StreamReader, sink: asyncio.StreamWriter, gate: asyncio.Event
    ) -> None:
        with suppress(OSError):
            while data := await source.read(CHUNK):
                if not gate.is_set():
                    self.held += 1
                    await gate.wait()
                if self._delay:
                    await asyncio.sleep(self._delay)
                    self.delayed += 1
                if gate is self._up:
                    pair.said.hear(data)
                elif self._loses(pair.said, data):
                    break
                sink.write(data)
                await sink.drain()
        self._break(pair)

    def _loses(self, said: Client, data: bytes) -> bool:
        if self._answers_to_lose == 0 or not data.endswith(COMMITTED):
            return False
        if not (WRITTEN.search(data) or (READ.search(data) and said.is_of_substance(data))):
            return False
        self._answers_to_lose -= 1
        self.answers_lost += 1
        return True

    def _break(self, pair: Pair) -> None:
        self._pairs.discard(pair)
        for pump in pair.pumps:
            if pump is not asyncio.current_task():
                pump.cancel()
        _abort(pair.client)
        _abort(pair.server)


def _abort(writer: asyncio.StreamWriter) -> None:
    """With a reset, not with a goodbye."""
    held = writer.get_extra_info("socket")
    if held is not None and held.family == socket.AF_INET:
        with suppress(OSError):
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
