"""The caller's own connection, on which jobs are enqueued in the caller's own transaction."""

from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from holdfast.client.drivers.choose import driver_for
from holdfast.client.enqueue import Store
from holdfast.client.new_job import NewJob, queues_of
from holdfast.model.error import InvalidInput
from holdfast.model.job import Enqueued

T = TypeVar("T")


class QueueNamer(Protocol):
    @property
    def store(self) -> Store:
        """With or without a span."""

    async def name_queues(self, names: Iterable[str], /) -> None:
        """Creates the rows of new queues in a separate transaction."""


class OwnConnection:
    """A connection of any supported driver; raises InvalidOption for others."""

    __slots__ = ("_driver", "_notify")

    def __init__(self, conn: object, *, notify: bool = True) -> None:
        self._driver = driver_for(conn)
        self._notify = notify

    async def store(self, batch: Sequence[NewJob], namer: QueueNamer) -> list[Enqueued]:
        await namer.name_queues(queues_of(batch))
        return await namer.store(self._driver, batch, notify=self._notify)

    def check_blocks(self) -> None:
        if not self._driver.blocks:
            raise InvalidInput(
                "enqueue_sync cannot use an asynchronous connection, which belongs to an event loop.",
                "use 'await task.using(connection).enqueue(…)', or leave out using(…)",
            )


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine without an event loop: on a synchronous connection it never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError(
        "a call on a synchronous connection tried to wait; this is a bug in Holdfast, please report it"
    )


def own_connection(conn: object) -> OwnConnection | None:
    return None if conn is None else OwnConnection(conn)
