"""What a client may do to the server. These times are real, whatever the server's clock says."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Limits:
    head_bytes: int = 32 * 1024
    headers: int = 100
    body_bytes: int = 8 * 1024 * 1024
    connections: int = 1000
    read: timedelta = timedelta(seconds=30)  # for a whole request, from its first byte
    write: timedelta = timedelta(seconds=30)  # for a client that does not take its answer
    idle: timedelta = timedelta(seconds=75)  # between requests
