"""The API on a port of this machine, for programs that are not Python."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp


@asynccontextmanager
async def served(api: ASGIApp) -> AsyncIterator[str]:
    """Its address; the server runs in the caller's event loop."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(api, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        )
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
