"""A LISTEN session of its own: what it hears is a hint, and after each reconnect it asks for a poll."""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import TracebackType
from typing import Self

import asyncpg
from asyncpg import Record

from holdfast.db.address import Address
from holdfast.db.connect import connect
from holdfast.db.errors import BROKEN
from holdfast.model.error import HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

READY = "holdfast_ready"
CANCEL = "holdfast_cancel"

HEARTBEAT = timedelta(seconds=5)
ANSWER_WITHIN = timedelta(seconds=5)
FIRST_PAUSE = timedelta(milliseconds=200)
LONGEST_PAUSE = timedelta(seconds=10)

OnNotification = Callable[[str], None]
OnGap = Callable[[], None]


class Listener:
    """Calls back for each notification, and `on_gap` whenever some may have been missed.

    A connection can be half-open for hours without an error: only an answer inside the session proves life.
    """

    def __init__(
        self,
        address: Address,
        channels: Mapping[str, OnNotification],
        on_gap: OnGap,
        *,
        heartbeat: timedelta = HEARTBEAT,
        answer_within: timedelta = ANSWER_WITHIN,
    ) -> None:
        self._address = Address(address.listen_url, address.source)
        self._deaf = address.pooled and address.direct_url is None
        self._channels = dict(channels)
        self._on_gap = on_gap
        self._heartbeat = heartbeat
        self._answer_within = answer_within
        self._alive = False
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def alive(self) -> bool:
        """True while the session has answered its last heartbeat; poll often while it is false."""
        return self._alive

    def start(self) -> None:
        """Behind a pooler in transaction mode nothing is heard, so nothing is started: the worker polls."""
        if self._deaf:
            emit(
                Event.LISTENER_DEAF, logging.WARNING, remedy="set HOLDFAST_DIRECT_URL to lead past the pooler"
            )
        elif self._task is None:
            self._task = asyncio.create_task(self._listen_for_ever(), name="holdfast-listener")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _listen_for_ever(self) -> None:
        failures = 0
        while True:
            try:
                await self._listen()
            except (HoldfastError, *BROKEN) as exc:
                failures = 0 if self._alive else failures + 1
                level = logging.WARNING if self._alive or failures == 1 else logging.DEBUG
                emit(Event.LISTENER_LOST, level, because=exc)
            finally:
                self._alive = False
            await asyncio.sleep(_pause(failures))

    async def _listen(self) -> None:
        """One session, until it breaks."""
        connection = await connect(self._address, "holdfast listener")
        try:
            for channel, callback in self._channels.items():
                await connection.add_listener(channel, _payload_to(callback))
            self._alive = True
            emit(Event.LISTENER_CONNECTED, logging.DEBUG, channels=",".join(self._channels))
            self._on_gap()
            await self._beat(connection)
        finally:
            connection.terminate()  # a half-open one would not answer a polite goodbye

    async def _beat(self, connection: "asyncpg.Connection[Record]") -> None:
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        while not connection.is_closed():
            await connection.execute("select 1", timeout=self._answer_within.total_seconds())
            try:
                async with asyncio.timeout(self._heartbeat.total_seconds()):
                    await closed.wait()
            except TimeoutError:
                continue
        raise ConnectionResetError("the server closed the listening session")


def _payload_to(callback: OnNotification) -> Callable[[object, int, str, object], None]:
    def heard(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        callback(str(payload))

    return heard


def _pause(failures: int) -> float:
    """Doubles up to the longest, with jitter, so that a thousand workers do not come back at once."""
    doubled = FIRST_PAUSE.total_seconds() * 2.0 ** min(failures, 10)
    return min(LONGEST_PAUSE.total_seconds(), doubled) * random.uniform(0.5, 1.0)
