"""Asks a server at its socket whether it accepts connections, in PostgreSQL's protocol."""

import re
import socket
import struct
from enum import StrEnum
from pathlib import Path

from holdfast.embedded.server_paths import USER

PROTOCOL_3 = 196608
CANNOT_CONNECT_NOW = b"57P03"
ANSWER_LIMIT_SECONDS = 5
MACOS_LOCAL_PEERPID = 2


class ProbeResult(StrEnum):
    ABSENT = "absent"
    STARTING = "starting"
    READY = "ready"


def probe(path: Path) -> ProbeResult:
    """A server that refuses us for a reason other than startup or shutdown counts as ready, too."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_LIMIT_SECONDS)
        try:
            connection.connect(str(path))
        except OSError:
            return ProbeResult.ABSENT
        try:
            connection.sendall(_startup_message())
            answer = connection.recv(1024)
        except OSError:
            return ProbeResult.STARTING
    return _read(answer)


def listener_pid(path: Path) -> int | None:
    """The listening process according to the kernel; None if there is none, or it is not visible."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_LIMIT_SECONDS)
        try:
            connection.connect(str(path))
            return _peer_pid(connection) or None
        except OSError:
            return None


def _startup_message() -> bytes:
    parameters = b"user\0" + USER.encode() + b"\0database\0postgres\0\0"
    return struct.pack("!ii", 8 + len(parameters), PROTOCOL_3) + parameters


def _read(answer: bytes) -> ProbeResult:
    """An error message's fields each begin with a letter and end with a zero byte; C is the SQLSTATE."""
    if answer.startswith(b"R"):
        return ProbeResult.READY
    state = re.search(rb"\0C([0-9A-Z]{5})\0", answer) if answer.startswith(b"E") else None
    return ProbeResult.READY if state and state[1] != CANNOT_CONNECT_NOW else ProbeResult.STARTING


def _peer_pid(connection: socket.socket) -> int:
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[0])
    return connection.getsockopt(0, MACOS_LOCAL_PEERPID)
