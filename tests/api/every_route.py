"""Calls every route of the OpenAPI document, so that a new route is tested without a line of its own."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from httpx2 import ASGITransport, AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast

Call = Callable[..., Response]
LEAKS = ("Traceback", 'File "', "asyncpg", "postgresql://", "holdfast_owner", "SQLSTATE", "site-packages")


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    query: tuple[str, ...]
    body: Any  # the example of the document; None: it takes none
    media_type: str | None

    @property
    def somewhere(self) -> str:
        """Its path with names of things that do not exist."""
        return re.sub(r"\{\w+\}", str(uuid4()), self.path)


@cache
def document() -> dict[str, Any]:
    """With the optional routes. Needs no database."""
    nowhere = Holdfast("postgresql://nobody@127.0.0.1:1/none")
    found: dict[str, Any] = api_app(nowhere, message_routes=True).openapi()
    return found


@cache
def routes() -> tuple[Route, ...]:
    return tuple(
        _route(method.upper(), path, said)
        for path, methods in document()["paths"].items()
        for method, said in methods.items()
    )


def _route(method: str, path: str, said: dict[str, Any]) -> Route:
    query = tuple(one["name"] for one in said.get("parameters", ()) if one["in"] == "query")
    content = said.get("requestBody", {}).get("content", {})
    media_type = next(iter(content), None)
    return Route(method, path, query, content[media_type]["example"] if media_type else None, media_type)


@contextmanager
def called(database_url: str) -> Iterator[Call]:
    """The API in this process, for callers that are not asynchronous, with the key of an admin.

    Requests that wait and streams end at once: the server says that it stops.
    """
    with asyncio.Runner() as runner:
        app = Holdfast(database_url, name="tests")
        key = runner.run(app.keys.create("all", "admin"))
        api = api_app(app, limits=Limits(rate=0), is_stopping=lambda: True, message_routes=True)
        transport = ASGITransport(app=api, raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {key.secret}"}
        http = AsyncClient(transport=transport, base_url="http://api", headers=headers)

        def call(method: str, url: str, **more: Any) -> Response:
            return runner.run(http.request(method, url, **more))

        yield call
        runner.run(http.aclose())
        runner.run(app.close())


def check(answered: Response, *what: object) -> None:
    """Neither a fault of the server nor a word about its insides; an error is a problem with a code."""
    status, text = answered.status_code, answered.text
    assert status < 500, (*what, status, text[:500])
    assert not [leak for leak in LEAKS if leak in text], (*what, text[:500])
    if status >= 400:
        assert answered.headers["content-type"] == "application/problem+json", (*what, text[:500])
        assert {"code", "detail", "request_id"} <= answered.json().keys(), what
