"""Listens on loopback; can stop listening, so that clients are refused, and keep its port meanwhile."""

import asyncio
import socket
import sys

from holdfast.testing.model_server.connection import Connection, Serve
from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.limits import Limits

HOST = "127.0.0.1"
BACKLOG = 1024


class Listener:
    def __init__(self, port: int, limits: Limits, serve: Serve) -> None:
        self._limits = limits
        self._serve = serve
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._opening: set[asyncio.Task[None]] = set()
        # Bound and never listening: nobody else gets the port while this server plays dead.
        self._reserve = _bind(port)
        self.port: int = self._reserve.getsockname()[1]

    def open(self) -> None:
        """From here on clients are let in, if only into the queue of the operating system for a moment."""
        if self._socket is None:
            self._socket = _bind(self.port)
            self._socket.listen(BACKLOG)
            task = asyncio.get_running_loop().create_task(self._accept_from(self._socket))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    def shut(self, why: Fate) -> None:
        """Who is connected is cut off, whoever comes is refused."""
        self._socket = None
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in [*self._connections]:
            connection.abort(why)

    async def close(self) -> None:
        self.shut(Fate.STOPPED)
        tasks = [one.task for one in self._connections if one.task is not None]
        await asyncio.gather(*tasks, *self._opening, return_exceptions=True)
        await asyncio.sleep(0)  # a transport closes one turn after it was told to
        self._reserve.close()

    async def _accept_from(self, listening: socket.socket) -> None:
        """Shut may come before, or while it starts."""
        if self._socket is not listening:
            listening.close()
            return
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self._connection, sock=listening, backlog=BACKLOG)
        if self._socket is listening:
            self._server = server
        else:
            server.close()

    def _connection(self) -> Connection:
        return Connection(self._limits, self._serve, self._connections)


def _bind(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "darwin":  # there the address alone may not be bound twice
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((HOST, port))
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
