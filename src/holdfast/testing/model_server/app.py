"""The server's HTTP: Starlette's routes on uvicorn's protocol, on a port that can be closed."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from holdfast.model.error import InvalidOption
from holdfast.testing.listener import Listener, reset, reset_at_end
from holdfast.testing.model_server.api import Api, BadRequest, read_object
from holdfast.testing.model_server.call import JSON, Backend, ModelCall
from holdfast.testing.model_server.ledger import Outcome
from holdfast.testing.model_server.ollama import chat_api, generate_api, tag_list
from holdfast.testing.model_server.openai import OpenAI, model_list

APIS: Mapping[str, Api] = {
    "/v1/chat/completions": OpenAI(),
    "/api/chat": chat_api(),
    "/api/generate": generate_api(),
}
MOST_BODY = 8 * 1024 * 1024
IDLE_FOR = 75  # seconds between two requests on a connection
LEDGER_PAGE = 500
PATHS = [
    *(f"POST {path}" for path in APIS),
    *("GET /", "GET /v1/models", "GET /api/tags", "GET /phase", "POST /phase", "GET /ledger"),
]

# Changes the behaviour as a client asks for, and returns it as it is then.
Change = Callable[[Mapping[str, object]], Mapping[str, Any]]


class HttpServer:
    """Listens only between `open` and `shut`."""

    def __init__(self, backend: Backend, models: tuple[str, ...], change: Change) -> None:
        self._backend = backend
        self._models = models
        self._change = change
        self._calls: set[ModelCall] = set()
        self._state = ServerState()
        self._config = uvicorn.Config(
            self._app(),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_FOR,
        )
        self._arriving: set[asyncio.Task[object]] = set()
        self._listener: Listener | None = None

    def start(self, port: int) -> int:
        """Its port: a free one for 0."""
        self._config.load()
        self._listener = Listener(port, self._welcome)
        return self._listener.port

    async def stop(self) -> None:
        self._abandon_calls(Outcome.STOPPED)
        if self._listener is not None:
            self._listener.close()
        await asyncio.gather(*self._arriving, return_exceptions=True)
        self._reset_all()
        await asyncio.gather(*self._state.tasks, return_exceptions=True)
        await asyncio.sleep(0)  # an aborted transport closes its socket one turn later

    def open(self) -> None:
        if self._listener is not None:
            self._listener.accept()

    def shut(self) -> None:
        """Open connections are reset, new ones are refused."""
        self._abandon_calls(Outcome.OUTAGE)
        if self._listener is not None:
            self._listener.refuse()
        self._reset_all()

    def _welcome(self, accepted: socket.socket) -> None:
        """By uvicorn's protocol without its Server, which handles signals and polls for its own end."""
        loop = asyncio.get_running_loop()
        arrival = loop.connect_accepted_socket(lambda: H11Protocol(self._config, self._state, {}), accepted)
        task = loop.create_task(arrival)
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    def _reset_all(self) -> None:
        for connection in self._state.connections:
            reset(connection.transport)

    def _abandon_calls(self, outcome: Outcome) -> None:
        for call in self._calls:
            call.abandon(outcome)

    def _app(self) -> ASGIApp:
        calls = [Route(path, ModelEndpoint(api, self._call), methods=["POST"]) for path, api in APIS.items()]
        others = [
            Route("/", self._home),
            Route("/v1/models", self._list_models),
            Route("/api/tags", self._list_tags),
            Route("/phase", self._show_behaviour),
            Route("/phase", self._change_behaviour, methods=["POST"]),
            Route("/ledger", self._show_ledger),
        ]
        handlers = dict.fromkeys([HTTPException, BadRequest, InvalidOption, ClientDisconnect], _on_error)
        return Starlette(routes=[*calls, *others], exception_handlers=handlers)

    async def _call(self, api: Api, scope: Scope, receive: Receive, send: Send) -> None:
        """A client that leaves ends its call at once, as with real model servers: its slot is free again."""
        request = Request(scope, receive)
        body = await _read_body(request)
        async with asyncio.TaskGroup() as tasks:
            work = tasks.create_task(self._answer(api, request, body, send))
            while (await receive())["type"] != "http.disconnect":
                pass
            work.cancel()

    async def _answer(self, api: Api, request: Request, body: bytes, send: Send) -> None:
        call = ModelCall(self._backend, api, request, send, lambda: self._reset(request.scope["client"]))
        self._calls.add(call)
        try:
            await call.run(body)
        finally:
            self._calls.discard(call)
            call.abandon(Outcome.CLIENT_LEFT)

    def _reset(self, client: tuple[str, int]) -> None:
        """The client's connection breaks, after what was sent to it."""
        for connection in self._state.connections:
            if isinstance(connection, H11Protocol) and connection.client == client:
                reset_at_end(connection.transport)

    async def _home(self, request: Request) -> Response:
        return _json(200, {"holdfast": "a simulated model server", "paths": PATHS})

    async def _list_models(self, request: Request) -> Response:
        return _json(200, model_list(self._models))

    async def _list_tags(self, request: Request) -> Response:
        return _json(200, tag_list(self._models))

    async def _show_behaviour(self, request: Request) -> Response:
        return _json(200, self._backend.simulation.behaviour.document())

    async def _change_behaviour(self, request: Request) -> Response:
        return _json(200, self._change(read_object(await _read_body(request))))

    async def _show_ledger(self, request: Request) -> Response:
        """JSON lines, some hundred at a time: all of a long run at once would be tens of megabytes."""
        calls = self._backend.ledger.calls

        async def pages() -> AsyncIterator[str]:
            for begin in range(0, len(calls), LEDGER_PAGE):
                yield "".join(f"{call.line()}\n" for call in calls[begin : begin + LEDGER_PAGE])

        return StreamingResponse(pages(), media_type="application/x-ndjson")


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """One API's path, as an ASGI application: a call sends its answer itself, broken ones too."""

    api: Api
    call: Callable[[Api, Scope, Receive, Send], Awaitable[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.call(self.api, scope, receive, send)


async def _read_body(request: Request) -> bytes:
    """Reads too large a body to its end: a client that is still sending would not get the answer."""
    body, is_too_large = bytearray(), False
    async for piece in request.stream():
        is_too_large = is_too_large or len(body) + len(piece) > MOST_BODY
        body += b"" if is_too_large else piece
    if is_too_large:
        raise HTTPException(413, f"The body is larger than {MOST_BODY} bytes.")
    return bytes(body)


async def _on_error(request: Request, exc: Exception) -> Response:
    match exc:
        case HTTPException():
            return _json(exc.status_code, {"error": {"message": exc.detail}}, exc.headers)
        case InvalidOption():
            return _json(400, {"error": {"message": f"{exc.message} Hint: {exc.hint}"}})
        case _:  # BadRequest; or the client left while it sent the body, and gets nothing
            return _json(400, {"error": {"message": str(exc)}})


def _json(status: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(document) + "\n", status, headers, JSON)
