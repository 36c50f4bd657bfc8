"""Listens on loopback; can stop listening, so that clients are refused, and keep its port meanwhile."""

import asyncio
import socket
import sys

from holdfast.testing.model_server.connection import Connection, Serve
from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.limits import Limits

HOST = "127.0.0.1"


class Listener:
    def __init__(self, port: int, limits: Limits, serve: Serve) -> None:
        self._limits = limits
        self._serve = serve
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        # Bound and never listening: nobody else gets the port while this server plays dead.
        self._reserve = _bind(port)
        self.port: int = self._reserve.getsockname()[1]

    async def open(self) -> None:
        if self._server is None:
            listening = _bind(self.port)
            self._server = await asyncio.get_running_loop().create_server(self._accept, sock=listening)

    def shut(self, why: Fate) -> None:
        """Who is connected is cut off, whoever comes is refused."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in [*self._connections]:
            connection.abort(why)

    async def close(self) -> None:
        tasks = [one.task for one in self._connections if one.task is not None]
        self.shut(Fate.STOPPED)
        await asyncio.gather(*tasks, return_exceptions=True)
        self._reserve.close()

    def _accept(self) -> Connection:
        return Connection(self._limits, self._serve, self._connections)


def _bind(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "darwin":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((HOST, port))
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
