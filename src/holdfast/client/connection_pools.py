"""The app's connections: one pool for each event loop, because a connection cannot change loops."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from datetime import timedelta

from holdfast.client.enqueue import Enqueuer
from holdfast.client.notify import Notifier
from holdfast.client.traced_enqueue import TracedEnqueuer, store_with
from holdfast.db import queues
from holdfast.db.connect import POOL_SIZE, Database, Turn
from holdfast.db.schema_check import fit
from holdfast.model.error import InvalidInput
from holdfast.telemetry.tracer import Tracer


class Link:
    """What belongs to one event loop."""

    __slots__ = ("_named", "database", "enqueuer", "loop", "notifier", "store")

    def __init__(self, database: Database, silent: Collection[str], tracer: Tracer | None) -> None:
        self.database = database
        self.notifier = Notifier(database, silent)
        plain = Enqueuer(database, self.notifier)
        self.enqueuer = plain if tracer is None else TracedEnqueuer(plain, tracer)
        self.store = store_with(tracer)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._named: set[str] = set()

    async def name_queues(self, names: Iterable[str], /) -> None:
        """Creates the rows of queues before a caller's own transaction uses them, once per queue."""
        new = sorted({*names} - self._named)
        if new:
            await queues.name_queues(self.database, new)
            self._named.update(new)

    async def close(self) -> None:
        await self.enqueuer.close()
        await self.notifier.flush()
        await self.database.close()


class Links:
    """Opens the link at first use; nothing connects at import."""

    pool_size = POOL_SIZE
    pool_wait: timedelta | None = None
    turn: Turn = staticmethod(nullcontext)

    def __init__(self, url: str | None, name: str, tracer: Tracer | None = None) -> None:
        self.name = name
        self.tracer = tracer
        self.silent: set[str] = set()
        self._url = url
        self._link: Link | None = None

    def set_pool(self, size: int, wait: timedelta | None) -> None:
        """A link that was only looked at, such as for the address of its database, is made again."""
        self.pool_size, self.pool_wait = size, wait
        if self._link is not None and not self._link.database.size:
            self._link = None

    def here(self) -> Link:
        """The link for the loop that runs now."""
        link = self._link
        if link is None:
            link = self._link = self.another()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return link
        if link.loop is None:
            link.loop = loop
        elif loop is not link.loop:
            link = self._moved_to(loop, link.loop)
        return link

    def another(self) -> Link:
        """A new link for a new loop; the caller closes it."""
        database = Database(
            self._url,
            pool_size=self.pool_size,
            pool_wait=self.pool_wait,
            application_name=f"holdfast {self.name}",
            fit=fit,
            turn=self._turn_of_now,
        )
        return Link(database, self.silent, self.tracer)

    def _turn_of_now(self) -> AbstractAsyncContextManager[None]:
        """The turn may be set after the link was opened."""
        return self.turn()

    @contextmanager
    def elsewhere(self, url: str) -> Iterator[None]:
        """Uses another database inside the block; connections to the first one stay open."""
        before = self._url, self._link
        self._url, self._link = url, None
        try:
            yield
        finally:
            self._url, self._link = before

    async def close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            await link.close()

    def _moved_to(self, loop: asyncio.AbstractEventLoop, old: asyncio.AbstractEventLoop) -> Link:
        if not old.is_closed():
            raise InvalidInput(
                "The app is in use on another event loop.",
                "create one Holdfast per event loop, or call enqueue_sync from other threads",
            )
        link = self._link = self.another()
        link.loop = loop
        return link
