"""An answer of server-sent events (text/event-stream), which a client that does not read cannot hold up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

SEND_WITHIN = 10.0  # seconds


class EventStream(StreamingResponse):
    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], held: ExitStack) -> None:
        """`held` is released when the stream ends, however it does."""
        super().__init__(events, headers={"X-Accel-Buffering": "no"})  # nginx would collect events
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            """Only a client that does not read makes this wait."""
            try:
                async with asyncio.timeout(SEND_WITHIN):
                    await send(message)
            except TimeoutError:
                raise ClientDisconnect from None

        with self._held:
            await super().__call__(scope, receive, send_soon)
