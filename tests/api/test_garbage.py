"""A gigabyte of garbage, sent to a server process from several connections: its memory stays flat."""

import contextlib
import itertools
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from urllib.parse import urlsplit

import psutil
import pytest

from tests.cli.command import environment, holdfast
from tests.patience import PATIENCE

SERVE = [sys.executable, "-m", "holdfast", "serve", "--port", "0"]
MB = 1_000_000
BLOCK = b"x" * 65_536
CHUNK = b"10000\r\n" + BLOCK + b"\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n"
JOBS, BULK = "POST /api/v1/jobs HTTP/1.1", "POST /api/v1/jobs/bulk HTTP/1.1"


def endless(request: str, *headers: str) -> Iterator[bytes]:
    """A body without an end: the server must refuse it."""
    yield f"{request}\r\nHost: x\r\n{''.join(headers)}{CHUNKED}\r\n".encode()
    yield from itertools.repeat(CHUNK)


def endless_header(*_: str) -> Iterator[bytes]:
    yield b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Bomb: "
    yield from itertools.repeat(BLOCK)


def deep(key: str) -> Iterator[bytes]:
    body = b'{"task": "t", "payload": ' + b"[" * 1_000_000
    yield f"{JOBS}\r\nHost: x\r\n{key}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    yield body


def bad_last_line(key: str) -> Iterator[bytes]:
    """Good jobs, as many as the limit of a bulk enqueue takes, and a bad one."""
    line = b'{"task": "t", "payload": "' + b"x" * 600 + b'"}\n'
    count = 60 * MB // len(line)
    length = count * len(line) + 1
    yield f"{BULK}\r\nHost: x\r\n{key}Content-Length: {length}\r\nConnection: close\r\n\r\n".encode()
    for _ in range(count // 100):
        yield line * 100
    yield line * (count % 100) + b"{"


Kind = Callable[[str], Iterator[bytes]]
KINDS: list[Kind] = [
    lambda _: endless(JOBS),
    lambda key: endless(JOBS, key),
    lambda key: endless("GET /metrics HTTP/1.1", key),
    lambda key: endless(BULK, key),
    lambda _: endless("POST /nowhere HTTP/1.1"),
    endless_header,
    deep,
]


def send(address: tuple[str, int], parts: Iterator[bytes]) -> int:
    """The bytes that were sent before the server answered and closed the connection."""
    sent = 0
    with socket.create_connection(address, timeout=PATIENCE) as connection, contextlib.suppress(OSError):
        for part in parts:
            connection.sendall(part)
            sent += len(part)
        while connection.recv(65_536):
            pass
    return sent


@contextlib.contextmanager
def serving(database_url: str) -> Iterator[tuple[str, psutil.Process]]:
    with subprocess.Popen(
        SERVE, env=environment(database_url), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), psutil.Process(process.pid)
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.slow
@pytest.mark.alone
def test_memory_grows_by_less_than_50_mb_while_a_gigabyte_of_garbage_is_sent(database_url: str) -> None:
    secret = holdfast("keys", "create", "k", "--role", "admin", url=database_url).out.strip()
    key = f"Authorization: Bearer {secret}\r\n"
    with serving(database_url) as (url, process), ThreadPoolExecutor(4) as pool:
        place = urlsplit(url)
        assert place.hostname is not None
        assert place.port is not None
        address = (place.hostname, place.port)
        send(address, deep(key))  # what the first request loads is not garbage
        before = most = process.memory_info().rss
        first: list[Kind] = [bad_last_line]
        rounds, sent = itertools.chain([first], itertools.repeat(KINDS)), 0
        while sent < 1000 * MB:
            sending = {pool.submit(send, address, kind(key)) for kind in next(rounds)}
            while wait(sending, timeout=0.05).not_done:
                most = max(most, process.memory_info().rss)
            sent += sum(done.result() for done in sending)
        with urllib.request.urlopen(f"{url}/readyz", timeout=PATIENCE) as answered:
            assert answered.status == 200
    assert (most - before) / MB < 50
