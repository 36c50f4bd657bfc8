"""One HTTP route, /metrics: Starlette on uvicorn's protocol. Imported only by workers with a metrics port."""

import asyncio
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from holdfast.telemetry.prometheus_text import CONTENT_TYPE

IDLE_FOR = 75  # seconds between two requests on a connection
# For answers that are being sent when the worker exits.
LAST_ANSWERS = 0.5


class MetricsHttp:
    """Uvicorn's protocol without its Server, which would handle the worker's signals."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._state = ServerState()
        self._config = uvicorn.Config(
            Starlette(routes=[Route("/metrics", self._answer)]),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_FOR,
        )
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Its port; raises OSError if the address cannot be used."""
        self._config.load()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: H11Protocol(self._config, self._state, {}), host, port
        )
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=LAST_ANSWERS)
        for connection in list(self._state.connections):
            connection.shutdown()
        await asyncio.sleep(0)  # a closed transport closes its socket one turn later

    async def _answer(self, _: Request) -> Response:
        return Response(self._text(), media_type=CONTENT_TYPE)
