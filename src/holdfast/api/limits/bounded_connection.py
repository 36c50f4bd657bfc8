"""Deadlines for connections: uvicorn has none for requests that arrive slowly, or for answers not read.

Without one, connections that send nothing, a byte a minute, or never read their answer fill the server.
"""

import asyncio
from time import monotonic
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

BEYOND = 100  # connections beyond `most`, which get 503; all others are closed unanswered


class BoundedConnection(H11Protocol):
    """Closes a connection whose next request, once expected, does not have all its headers in time.

    `Guard` gets the moment of the request's first byte, so that headers and body have one deadline, and
    whether the server has too many connections. Between two requests the keep-alive timeout holds; a body is
    not awaited after the answer, and an answer not for longer than `within` if the client stops reading it.
    """

    within = 30.0  # seconds
    most = 1000  # open connections
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _has_begun = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.app_state = {**self.app_state}  # of this connection: each request gets a copy

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        if len(self.connections) > self.most + BEYOND:
            self.transport.abort()
            return
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE and not self._has_begun:
            self._has_begun = True
            self._relax()
            self._expect()
            self._note()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._has_begun = False
            self._relax()

    def on_response_complete(self) -> None:
        """After an answer to half a request the rest of its body has no deadline any more."""
        is_cut = self.conn.their_state is h11.SEND_BODY
        self._note()  # for a request that the client has sent without waiting for this answer
        super().on_response_complete()
        if is_cut:
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(self.within, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unstall()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        self._unstall()
        super().connection_lost(exc)

    def _note(self) -> None:
        """For `Guard`, in the state of the request's scope."""
        self.app_state["received_from"] = monotonic()
        self.app_state["is_full"] = len(self.connections) > self.most

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(self.within, self.transport.close)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _unstall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
