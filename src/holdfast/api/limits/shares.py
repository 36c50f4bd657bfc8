"""Places that access keys share, so that no key keeps the others out."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from datetime import timedelta

from holdfast.api.request.problem import RequestRefused


class Shares:
    """A key gets another place while it has fewer than are free.

    One key alone gets half of them, a second key half of the rest: a key that has none finds one until many
    keys together have taken all. A fixed number per key would let two keys take everything, or leave places
    unused.
    """

    def __init__(self, places: int, wait: timedelta, code: str, what: str) -> None:
        """`wait`: for a place; then the request is refused with `code`, for too many of `what`."""
        self._places, self._seconds, self._code, self._what = places, wait.total_seconds(), code, what
        self._taken: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def place(self, key: Hashable) -> AsyncIterator[None]:
        """Waits for it. Raises RequestRefused with 429, or 503 if all places are those of other keys."""
        if key in self._waiting or not self._may_take(key):
            await self._wait(key)
        else:
            self._taken[key] += 1
        try:
            yield
        finally:
            self._give_back(key)

    def _may_take(self, key: Hashable) -> bool:
        return self._taken[key] < self._places - self._taken.total()

    async def _wait(self, key: Hashable) -> None:
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(mine)
        try:
            async with asyncio.timeout(self._seconds):
                await mine
        except BaseException as exc:
            self._leave(key, mine)
            if isinstance(exc, TimeoutError):
                raise self._refusal(key) from None
            raise

    def _leave(self, key: Hashable, mine: "asyncio.Future[None]") -> None:
        """A place may have been given to it in the same moment."""
        if not mine.cancelled():
            self._give_back(key)
            return
        left = deque(one for one in self._waiting.pop(key, ()) if one is not mine)
        if left:
            self._waiting[key] = left

    def _give_back(self, key: Hashable) -> None:
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]
        for other in sorted(self._waiting, key=self._taken.__getitem__):
            self._admit(other)

    def _admit(self, key: Hashable) -> None:
        waiting = self._waiting[key]
        while waiting and self._may_take(key):
            first = waiting.popleft()
            if not first.done():
                self._taken[key] += 1
                first.set_result(None)
        if not waiting:
            del self._waiting[key]

    def _refusal(self, key: Hashable) -> RequestRefused:
        if self._taken[key]:
            detail, hint = f"This access key has too many {self._what} on this server.", "send fewer at once"
            return RequestRefused(429, self._code, detail, hint)
        detail, hint = f"This server has too many {self._what}.", "try again later, or another replica"
        return RequestRefused(503, self._code, detail, hint)
