"""How routes are declared, so that the OpenAPI document says the same of all of them."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import KEYED
from holdfast.api.request.answer import OpenApi, answers
from holdfast.api.request.body import Body
from holdfast.api.request.query_filters import Filters
from holdfast.api.request.sample import sample
from holdfast.model.audit import SettingChange

PREFIX = "/api/v1"
READ = (401, 403, 404, 422, 429, 503)
WRITE = (401, 403, 404, 408, 409, 413, 422, 429, 503)


Since = Annotated[str, Query(description="How far to look back: seconds, or a text such as 24h.")]
Reason = Annotated[str | None, Query(max_length=2000, description="Recorded in the audit trail.")]

# The answer to a change of settings.
CHANGES = {"name": "mail", "changes": [sample(SettingChange, setting="timeout", before=60, after=120)]}


@dataclass(frozen=True, slots=True)
class Route:
    """`said`: the answer, as `sampled` reads it. `says`: what the route does, if not the handler's docstring.

    `also`: its other answers. `extra`: more of its entry in the OpenAPI document.
    """

    method: str
    path: str
    handler: Callable[..., Awaitable[Response]]
    said: Any
    body: Body | None = None
    filters: Filters | None = None
    status: int = 200
    says: str | None = None
    also: OpenApi | None = None
    extra: Mapping[str, Any] | None = None


class DirectRoute(APIRoute):
    """Calls a handler that takes the request, and perhaps texts of its path, directly.

    The steps by which FastAPI finds out what else a handler needs remain for the others.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler, wanted = self.endpoint, signature(self.endpoint).parameters
        path = {name for name in self.param_convertors if name in wanted and wanted[name].annotation is str}
        if {*wanted} != {"request", *path} or self.dependencies != KEYED:
            return super().get_route_handler()

        async def handle(request: Request) -> Response:
            answered: Response = await handler(request, **request.path_params)
            return answered

        return handle


def router(noun: str, *routes: Route) -> APIRouter:
    """Those of one noun. All need an access key."""
    found = APIRouter(prefix=PREFIX, tags=[noun], dependencies=KEYED, route_class=DirectRoute)
    for one in routes:
        extra = dict(one.extra or {})
        if one.body is not None:
            extra["requestBody"] = one.body.openapi
        if one.filters is not None:
            extra["parameters"] = one.filters.parameters
        problems = READ if one.method == "GET" else WRITE
        found.add_api_route(
            one.path,
            one.handler,
            methods=[one.method],
            status_code=one.status,
            responses=(one.also or {}) | answers(one.said, *problems, status=one.status),
            openapi_extra=extra,
            description=one.says,
        )
    return found
