"""A deadline for the headers of a request: uvicorn has none, so silent connections would fill the server."""

import asyncio
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class BoundedHeaders(H11Protocol):
    """Closes a connection whose next request, once expected, does not have all its headers in time.

    Between two requests the keep-alive timeout holds; the body has the deadline of `Guard`, and is not
    awaited after the answer.
    """

    within = 30.0  # seconds
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE:
            self._expect()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._relax()

    def on_response_complete(self) -> None:
        """After an answer to half a request the rest of its body has no deadline any more."""
        is_cut = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        if is_cut:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.within, self.transport.close)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
