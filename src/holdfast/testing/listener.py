"""A port on loopback that can be closed and opened again, and connections that end with a TCP reset."""

import asyncio
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress

HOST = "127.0.0.1"
BACKLOG = 1024


class Listener:
    """Calls `on_accept` with the socket of each client, from `accept` until `refuse`."""

    def __init__(self, port: int, on_accept: Callable[[socket.socket], None]) -> None:
        """Port 0 chooses a free one. Raises OSError if the port is in use."""
        # Bound and never listening: it keeps the port while connections are refused.
        self._reserved = _bind(port)
        self._on_accept = on_accept
        self._listening: socket.socket | None = None
        self.port: int = self._reserved.getsockname()[1]

    def accept(self) -> None:
        if self._listening is None:
            self._listening = _bind(self.port)
            self._listening.listen(BACKLOG)
            asyncio.get_running_loop().add_reader(self._listening, self._accept_one, self._listening)

    def refuse(self) -> None:
        """Stop listening, as a server that is down: connecting fails. Open connections remain."""
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
            self._listening = None

    def close(self) -> None:
        self.refuse()
        self._reserved.close()

    def _accept_one(self, listening: socket.socket) -> None:
        try:
            accepted, _ = listening.accept()
        except OSError:  # the client has left
            return
        accepted.setblocking(False)
        self._on_accept(accepted)


def reset(transport: asyncio.WriteTransport) -> None:
    """Breaks the connection now; what was not sent yet is lost."""
    _close_by_reset(transport)
    transport.abort()


def reset_at_end(transport: asyncio.BaseTransport) -> None:
    """Breaks the connection once all that was written has been sent."""
    _close_by_reset(transport)
    transport.close()


def _close_by_reset(transport: asyncio.BaseTransport) -> None:
    held = transport.get_extra_info("socket")
    if held is not None and held.family == socket.AF_INET:
        with suppress(OSError):
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _bind(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "darwin":  # there two sockets may not share a port by SO_REUSEADDR alone
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((HOST, port))
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
