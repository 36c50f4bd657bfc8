"""The model server as a process of its own."""

import asyncio
import signal
from collections.abc import Callable

from holdfast.testing.model_server.server import ModelServer


def run_forever(make: Callable[[], ModelServer], announce: Callable[[str], None]) -> ModelServer:
    """Until SIGTERM or Ctrl-C; `announce` is told the address. Returns the server, for its ledger."""
    return asyncio.run(_serve(make, announce))


async def _serve(make: Callable[[], ModelServer], announce: Callable[[str], None]) -> ModelServer:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with make() as server:
        announce(server.url)
        await stop.wait()
    return server
