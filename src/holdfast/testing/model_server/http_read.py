"""Reads HTTP/1.x requests, strictly: what could be read in two ways is refused."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.testing.model_server.http_error import HttpError
from holdfast.testing.model_server.limits import Limits

_REQUEST_LINE = re.compile(r"([A-Z]{1,20}) (/[\x21-\x7e]*) HTTP/(\d)\.(\d)")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Head:
    method: str
    path: str
    is_old: bool  # HTTP/1.0
    headers: Mapping[str, str]  # names in lower case

    @property
    def keeps_alive(self) -> bool:
        return not self.is_old and "close" not in self.headers.get("connection", "").lower()

    @property
    def wants_continue(self) -> bool:
        return self.headers.get("expect", "").lower() == "100-continue"


async def read_head(reader: asyncio.StreamReader, first: bytes, limits: Limits) -> Head:
    """`first` was read while waiting for the request to begin."""
    try:
        rest = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise HttpError(431, f"The head is longer than {limits.head_bytes} bytes.", fatal=True) from None
    if len(rest) + len(first) > limits.head_bytes:
        raise HttpError(431, f"The head is longer than {limits.head_bytes} bytes.", fatal=True)
    request_line, *lines = (first + rest[:-4]).decode("latin-1").split("\r\n")
    found = _REQUEST_LINE.fullmatch(request_line)
    if found is None:
        raise HttpError(400, "The first line is not METHOD /path HTTP/1.1.", fatal=True)
    method, target, major, minor = found.groups()
    if major != "1":
        raise HttpError(505, "This server speaks HTTP/1.1.", fatal=True)
    if len(lines) > limits.headers:
        raise HttpError(431, f"There are more than {limits.headers} headers.", fatal=True)
    head = Head(method, target.partition("?")[0], minor == "0", _headers(lines))
    if not head.is_old and "host" not in head.headers:
        raise HttpError(400, "The header Host is missing.", fatal=True)
    return head


async def read_body(reader: asyncio.StreamReader, head: Head, limits: Limits) -> bytes:
    coding, length = head.headers.get("transfer-encoding"), head.headers.get("content-length")
    if coding is None:
        return await _read_plain(reader, length or "0", limits)
    if length is not None:
        raise HttpError(400, "Content-Length and Transfer-Encoding exclude each other.", fatal=True)
    if coding.lower() != "chunked" or head.is_old:
        raise HttpError(501, "The only transfer encoding is chunked, with HTTP/1.1.", fatal=True)
    return await _read_chunks(reader, limits)


def _headers(lines: list[str]) -> Mapping[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise HttpError(400, "A header is not a name, a colon and a value.", fatal=True)
        name, value = name.lower(), value.strip(" \t")
        if name in headers and name in ("content-length", "transfer-encoding", "host"):
            raise HttpError(400, f"The header {name} is there twice.", fatal=True)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


async def _read_plain(reader: asyncio.StreamReader, length: str, limits: Limits) -> bytes:
    if not (length.isascii() and length.isdigit()):
        raise HttpError(400, "Content-Length is not a number.", fatal=True)
    if len(length) > 18 or int(length) > limits.body_bytes:
        raise _too_large(limits)
    return await _read_exactly(reader, int(length))


async def _read_chunks(reader: asyncio.StreamReader, limits: Limits) -> bytes:
    body = bytearray()
    while size := await _chunk_size(reader):
        if len(body) + size > limits.body_bytes:
            raise _too_large(limits)
        body += await _read_exactly(reader, size)
        if await reader.readexactly(2) != b"\r\n":
            raise HttpError(400, "A chunk is longer than it says.", fatal=True)
    await _skip_trailers(reader, limits)
    return bytes(body)


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    found = _CHUNK_SIZE.fullmatch(await _read_line(reader))
    if found is None:
        raise HttpError(400, "A chunk does not begin with its size.", fatal=True)
    return int(found[1], 16)


async def _skip_trailers(reader: asyncio.StreamReader, limits: Limits) -> None:
    for _ in range(limits.headers):
        if await _read_line(reader) == b"\r\n":
            return
    raise HttpError(431, f"There are more than {limits.headers} trailers.", fatal=True)


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError:
        raise HttpError(400, "A line of the chunked body is too long.", fatal=True) from None


async def _read_exactly(reader: asyncio.StreamReader, length: int) -> bytes:
    """In pieces: the memory is taken as the bytes come, not when they are announced."""
    body = bytearray()
    while len(body) < length:
        piece = await reader.read(min(_PIECE, length - len(body)))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(body), length)
        body += piece
    return bytes(body)


def _too_large(limits: Limits) -> HttpError:
    return HttpError(413, f"The body is larger than {limits.body_bytes} bytes.", fatal=True)
