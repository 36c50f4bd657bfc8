"""Places for requests that wait, long polls and streams: so many per access key, and so many in all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from holdfast.api.request.problem import RequestRefused


class Waiting:
    """Each waiting request holds a connection: without a bound, one key's polls keep out other callers."""

    def __init__(self, per_key: int, in_all: int) -> None:
        self._per_key, self._in_all = per_key, in_all
        self._taken: Counter[UUID] = Counter()

    @contextmanager
    def place(self, key: UUID) -> Iterator[None]:
        """For as long as a request of this access key waits. Refuses it with 429 or 503."""
        if self._taken[key] >= self._per_key:
            raise RequestRefused(
                429,
                "too_many_waiting",
                f"This access key has {self._per_key:,} open long polls and streams, which is its limit.",
                "close some of them, or send the request without `wait`",
            )
        if self._taken.total() >= self._in_all:
            raise RequestRefused(
                503,
                "too_many_waiting",
                f"This server has {self._in_all:,} open long polls and streams, which is its limit.",
                "try another replica, or send the request without `wait`",
            )
        self._taken[key] += 1
        try:
            yield
        finally:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]
