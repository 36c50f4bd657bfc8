"""Writes HTTP/1.1 responses to one client: whole, in pieces, or broken off."""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from holdfast.testing.model_server.limits import Limits

JSON = "application/json"
NO_LINGER = struct.pack("ii", 1, 0)


class Wire:
    """`status` is what was sent of a response, None before."""

    def __init__(self, writer: asyncio.StreamWriter, limits: Limits) -> None:
        self._writer = writer
        self._limits = limits
        self._is_chunked = False
        self.keeps_alive = True
        self.is_old = False
        self.status: int | None = None

    async def send_json(self, status: int, document: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        await self.send(status, JSON, json.dumps(document).encode() + b"\n", headers)

    async def send(self, status: int, kind: str, body: bytes, headers: Mapping[str, str]) -> None:
        await self.write(self.head(status, kind, len(body), headers) + body)

    async def send_continue(self) -> None:
        await self.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def head(self, status: int, kind: str, length: int, headers: Mapping[str, str]) -> bytes:
        return self._head(status, {"Content-Type": kind, "Content-Length": str(length), **headers})

    def stream_head(self, kind: str) -> bytes:
        """A client of HTTP/1.0 knows no chunks: for it the stream ends with the connection."""
        self._is_chunked = not self.is_old
        coding = {"Transfer-Encoding": "chunked"} if self._is_chunked else {}
        self.keeps_alive = self.keeps_alive and self._is_chunked
        return self._head(200, {"Content-Type": kind, "Cache-Control": "no-cache", **coding})

    def piece(self, data: bytes) -> bytes:
        return b"%x\r\n%s\r\n" % (len(data), data) if self._is_chunked else data

    def stream_end(self) -> bytes:
        return b"0\r\n\r\n" if self._is_chunked else b""

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        async with asyncio.timeout(self._limits.write.total_seconds()):
            await self._writer.drain()

    def end(self) -> None:
        """Nothing more will be sent; the other direction stays open."""
        if self._writer.can_write_eof():
            self._writer.write_eof()

    def reset(self) -> None:
        """The client sees the connection break, not end."""
        self.keeps_alive = False
        connection = self._writer.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self._writer.transport.abort()

    def _head(self, status: int, headers: Mapping[str, str]) -> bytes:
        self.status = status
        lines = [f"HTTP/1.1 {status} {_phrase(status)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Connection: {'keep-alive' if self.keeps_alive else 'close'}", "", ""]
        return "\r\n".join(lines).encode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
