"""The limits of one server: sizes, times, waiting requests and rates."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one replica: nothing is shared with the others."""

    headers: int = 16 * 1024  # bytes, with the address
    body: int = 1024 * 1024  # bytes
    bulk: int = 64 * 1024 * 1024  # bytes of a bulk enqueue
    receive: timedelta = timedelta(seconds=30)  # for a request, from its first byte
    waiting_per_key: int = 500  # long polls and streams of one access key
    waiting: int = 900  # of all keys; the rest of the connections is for other requests
    rate: float = 1000.0  # requests per second of one access key, 0: unlimited; twice as many at once
    failed_log_ins: float = 5.0  # per second and address, 0: unlimited; twenty times as many at once
