"""The ASGI app, for `holdfast serve` or mounted in another app: `other.mount("/queue", api_app(app))`."""

from collections.abc import Callable, Mapping

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.access import Access
from holdfast.api.guard import Guard, Limits
from holdfast.api.health import Health, Ready
from holdfast.api.job_reads import JobReads
from holdfast.api.problem import RequestRefused, problem, problem_of
from holdfast.api.producers import Producers
from holdfast.client.app import Holdfast
from holdfast.model.error import HoldfastError
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

CODES = {404: "no_such_route", 405: "method_not_allowed"}


def api_app(
    app: Holdfast,
    *,
    limits: Limits | None = None,
    checks: Mapping[str, Ready] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> FastAPI:
    """`checks`: more that must hold for /readyz, by name; one that raises is failing.

    `is_stopping`: asked at least once a second by requests that wait, which then answer what they have.
    """
    access = Access(app)
    api = FastAPI(
        title="Holdfast",
        version="1",
        description="Durable jobs on PostgreSQL. Send your access key as `Authorization: Bearer SECRET`.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        middleware=[Middleware(Guard, limits=limits or Limits())],
    )
    for kind in (HoldfastError, RequestRefused, RequestValidationError, HTTPException):
        api.add_exception_handler(kind, _answer_error)
    api.include_router(Health(app, access, checks or {}).routes())
    api.include_router(Producers(app, access).routes())
    api.include_router(JobReads(app, access, is_stopping).routes())
    return api


async def _answer_error(request: Request, exc: Exception) -> Response:
    status, document = problem_of(_as_refusal(exc))
    if status >= 500:
        emit(
            Event.REQUEST_FAILED,
            request=request.state.request_id,
            path=request.url.path,
            because=exc,
            exception=exc,
        )
    return problem(status, document, request.state.request_id)


def _as_refusal(exc: Exception) -> Exception:
    if isinstance(exc, HTTPException):
        code = CODES.get(exc.status_code, "refused")
        return RequestRefused(exc.status_code, code, str(exc.detail), "see /api/v1/openapi.json")
    if isinstance(exc, RequestValidationError):
        wrong = exc.errors()[0]
        where = ".".join(str(part) for part in wrong["loc"])
        return RequestRefused(422, "invalid_input", f"{where}: {wrong['msg']}", "see /api/v1/openapi.json")
    return exc
