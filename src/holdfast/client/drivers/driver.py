"""The interface that Holdfast needs from a driver."""

from typing import Any, Protocol

from holdfast.db.statement import Fetcher


class Driver(Fetcher, Protocol):
    """Sends our statements on the caller's connection, in the caller's transaction, and never ends the
    transaction.

    The statements have the server's own placeholders ($1, $2, …). `blocks`: the connection is synchronous, so
    `fetch` waits for nothing but the server, and can be run without an event loop.
    """

    @property
    def blocks(self) -> bool: ...


class NewDriver(Protocol):
    def __call__(self, conn: Any, /) -> Driver: ...
