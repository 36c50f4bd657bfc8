"""Middleware for every request: its id, bounds on its size, an answer for every error, a line in the log."""

import asyncio
import re
from logging import DEBUG
from time import monotonic
from typing import Any
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.api.limits.key_connections import KeyConnections
from holdfast.api.limits.limits import Limits
from holdfast.api.request.figures import Figures
from holdfast.api.request.problem import RequestRefused, problem, problem_of
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

PROBES = frozenset({"/livez", "/readyz"})
# Whole paths: a queue, a rule or a flag may have a name that ends like one of them.
BULK = re.compile(r"/api/v1/(runs/[^/]+/)?jobs/bulk")
CLIENT_LEFT = 499
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Guard:
    """ASGI middleware. It counts a body before the access key is looked at."""

    def __init__(self, app: ASGIApp, limits: Limits, figures: Figures, connections: KeyConnections) -> None:
        self._app, self._limits, self._figures, self._connections = app, limits, figures, connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._limits)
        self._figures.open += 1
        try:
            exchange.check_room()
            exchange.check_headers()
            exchange.check_length()
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            exchange.status = exchange.status or CLIENT_LEFT
        except Exception as exc:
            await exchange.fail(exc)
        finally:
            self._connections.end()
            self._figures.open -= 1
            self._figures.count(scope, exchange.status, exchange.seconds)
            exchange.log()


class _Exchange:
    """One request and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: Limits) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = Headers(scope=scope)
        self._began = monotonic()
        state = scope.setdefault("state", {})
        # From `BoundedConnection`: the headers and the body have one deadline.
        received_from = state.get("received_from", self._began)
        self._deadline = received_from + limits.receive.total_seconds()
        self._is_full = state.get("is_full", False)
        path = scope["path"].removeprefix(scope.get("root_path", ""))  # where the API is mounted
        self._is_probe = path in PROBES
        self._left = self._most = limits.bulk if BULK.fullmatch(path) else limits.body
        self._most_headers = limits.headers
        self._has_body = True
        self.status = 0
        given = self._headers.get("x-request-id", "")
        self.id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        state.update(request_id=self.id, key_name=None)

    def check_room(self) -> None:
        """A probe is answered even now: a balancer that gets no answer would have the server restarted."""
        if self._is_full and not self._is_probe:
            raise RequestRefused(
                503, "too_many_connections", "This server has too many connections.", "try another replica"
            )

    def check_headers(self) -> None:
        """h11 bounds only what is incomplete: headers that come in one piece may be of any size."""
        address = len(self._scope.get("raw_path") or b"") + len(self._scope["query_string"])
        if address + sum(len(name) + len(value) for name, value in self._headers.raw) > self._most_headers:
            raise RequestRefused(
                431,
                "headers_too_large",
                f"The URL and the headers must have at most {self._most_headers:,} bytes together.",
                "send fewer headers or a shorter URL, or send the data in the body",
            )

    def check_length(self) -> None:
        length = self._headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > self._most:
            raise self._too_large()

    async def receive(self) -> Message:
        message = await self._next()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._has_body = message.get("more_body", False)
            if self._left < 0:
                raise self._too_large()
        return message

    async def _next(self) -> Message:
        """Only the body has a deadline: after it, this waits for the client to leave."""
        if not self._has_body:
            return await self._receive()
        try:
            async with asyncio.timeout(max(self._deadline - monotonic(), 0)):
                return await self._receive()
        except TimeoutError:
            raise RequestRefused(
                408, "request_timeout", "The request was not received in time.", "send it faster"
            ) from None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(raw=message["headers"])
            headers["X-Request-Id"] = self.id
            headers["X-Content-Type-Options"] = "nosniff"
            headers.setdefault("Cache-Control", "no-store")
            if self._is_full:
                headers["Connection"] = "close"
        await self._send(message)

    async def fail(self, exc: Exception) -> None:
        """An answer that has begun cannot be changed any more: the connection is closed."""
        status, document = problem_of(exc)
        if status >= 500:
            emit(Event.REQUEST_FAILED, request=self.id, path=self._scope["path"], because=exc, exception=exc)
        if self.status:
            raise exc
        await problem(status, document, self.id)(self._scope, self._receive, self.send)

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    def log(self) -> None:
        emit(
            Event.REQUEST_ANSWERED,
            DEBUG if self._is_probe else None,
            request=self.id,
            method=self._scope["method"],
            path=self._scope["path"],
            status=self.status,
            seconds=round(self.seconds, 3),
            key=self._state.get("key_name"),
        )

    @property
    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._scope["state"]
        return state

    def _too_large(self) -> RequestRefused:
        return RequestRefused(
            413,
            "body_too_large",
            f"The body must have at most {self._most:,} bytes.",
            "send less data, or split the data into several requests",
        )
