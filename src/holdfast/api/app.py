"""The ASGI app, for `holdfast serve` or mounted in another app: `other.mount("/queue", api_app(app))`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.health import Health, Ready
from holdfast.api.limits.key_connections import KeyConnections
from holdfast.api.limits.limits import Limits
from holdfast.api.limits.loopback import LoopbackOnly
from holdfast.api.limits.rates import Rates
from holdfast.api.limits.waiting import Waiting
from holdfast.api.live.live import Live
from holdfast.api.live.permits import Permits
from holdfast.api.live.streams import WatchedSubjects
from holdfast.api.messages.function_routes import FunctionRoutes
from holdfast.api.messages.messages import Messages
from holdfast.api.people.access_keys import KeyManagement
from holdfast.api.people.actions import Actions
from holdfast.api.people.audit import Audit
from holdfast.api.people.dead_letters import DeadLetterRoutes
from holdfast.api.people.endpoints import Endpoints
from holdfast.api.people.flags_and_rollouts import FlagsAndRollouts
from holdfast.api.people.job_reads import JobReads
from holdfast.api.people.operate_jobs import OperateJobs
from holdfast.api.people.pipelines import Pipelines
from holdfast.api.people.queue_moves import QueueMoves
from holdfast.api.people.queues import Queues
from holdfast.api.people.rules import Rules
from holdfast.api.people.runs import ManageRuns
from holdfast.api.people.schedules import ScheduleRoutes
from holdfast.api.people.statistics import Statistics
from holdfast.api.people.workers import ManageWorkers
from holdfast.api.producers.bulk_body import BulkBodies
from holdfast.api.producers.enqueue import Producers
from holdfast.api.producers.runs import ProducerRuns
from holdfast.api.request.access import Access
from holdfast.api.request.figures import Figures
from holdfast.api.request.guard import Guard
from holdfast.api.request.problem import RequestRefused, problem, problem_of
from holdfast.api.workers.claims import Claims
from holdfast.api.workers.held_jobs import HeldJobs
from holdfast.api.workers.job_waits import JobWaits
from holdfast.api.workers.long_polls import LongPolls
from holdfast.api.workers.register import Workers
from holdfast.api.workers.time_box import Work
from holdfast.client.app import Holdfast
from holdfast.model.access_key import SecretHash
from holdfast.model.error import HoldfastError, InvalidOption
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# The routes for people, one class for each noun.
PEOPLE = (
    OperateJobs, DeadLetterRoutes, ManageRuns, Queues, QueueMoves, Endpoints, ManageWorkers, Pipelines, Rules,
    ScheduleRoutes, FlagsAndRollouts, Audit, Statistics,
)  # fmt: skip
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")
CODES = {404: "no_such_route", 405: "method_not_allowed"}


@dataclass(frozen=True, slots=True)
class Served:
    """What routes that others add need of the server."""

    app: Holdfast
    access: Access
    is_stopping: Callable[[], bool]
    waiting: Waiting
    permits: Permits
    subjects: WatchedSubjects


# Adds routes to the API; how a dashboard comes to it.
AddPages = Callable[[FastAPI, Served], None]


def api_app(
    app: Holdfast,
    *,
    limits: Limits | None = None,
    checks: Mapping[str, Ready] | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    allow_origins: Sequence[str] = (),
    without_keys: SecretHash | None = None,
    message_routes: bool = False,
    add_pages: AddPages | None = None,
) -> FastAPI:
    """`checks`: more that must hold for /readyz, by name; one that raises is failing.

    `is_stopping`: asked at least once a second by requests that wait, which then answer what they have.
    `allow_origins`: whose pages may call the API from a browser, such as "https://example.org".
    `without_keys`: the key of requests that have none, from `loopback_key`; they must come from this machine.
    `message_routes`: whether to serve jobs as messages too, and events and health as functions.
    `add_pages`: adds the pages of the dashboard.
    """
    limits = limits or Limits()
    connections = KeyConnections(app)
    access, bulks = Access(app, Rates(limits), connections, without_keys), BulkBodies()
    waiting, figures = Waiting(limits.waiting_per_key, limits.waiting), Figures()
    permits, subjects = Permits(app), WatchedSubjects()
    api = FastAPI(
        title="Holdfast",
        version="1",
        description="Durable jobs on PostgreSQL. Send your access key as `Authorization: Bearer SECRET`.",
        docs_url=None,  # its page would load scripts from other sites
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        middleware=_around(limits, figures, connections, allow_origins, without_keys is not None),
    )
    for kind in (HoldfastError, RequestRefused, RequestValidationError, HTTPException):
        api.add_exception_handler(kind, answer_error)
    keyed = access.without_sessions()
    parts = (
        Producers(app, access, bulks),  # first what is called most: routes are compared one by one
        Workers(app, access),
        Claims(app, access, LongPolls(app, is_stopping), waiting),
        HeldJobs(app, access),
        Health(app, access, checks or {}, figures),
        ProducerRuns(app, access, bulks),
        KeyManagement(app, access),
        Actions(app, access),
        JobReads(app, access, is_stopping, waiting),
        Live(app, access, is_stopping, waiting, permits, subjects),
        *(part(app, access) for part in (JobWaits, Work, *PEOPLE)),
        *(part(app, keyed, allow_origins) for part in (Messages, FunctionRoutes) if message_routes),
    )
    for part in parts:
        api.routes.extend(part.routes().routes)  # include_router would compare each route twice
    if add_pages is not None:
        add_pages(api, Served(app, access, is_stopping, waiting, permits, subjects))
    return api


def _around(
    limits: Limits, figures: Figures, connections: KeyConnections, origins: Sequence[str], is_keyless: bool
) -> list[Middleware]:
    """Around the routes, the outermost first: answers of the guard have the headers for browsers too."""
    browsers = Middleware(
        CORSMiddleware,
        allow_origins=[check_origin(origin) for origin in origins],
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id", "Last-Event-ID"],
        expose_headers=["X-Request-Id", "Retry-After"],
    )
    guard = Middleware(Guard, limits=limits, figures=figures, connections=connections)
    loopback = Middleware(LoopbackOnly, origins=origins)
    return [*([browsers] if origins else []), guard, *([loopback] if is_keyless else [])]


def check_origin(origin: str) -> str:
    if origin != "*" and not _ORIGIN.fullmatch(origin):
        raise InvalidOption(
            f"An origin must be a scheme and a host, with or without a port (got {origin!r}).",
            "write it as the browser sends it, such as https://example.org",
        )
    return origin


async def answer_error(request: Request, exc: Exception) -> Response:
    status, document = problem_of(_as_refusal(exc, request.scope.get("raw_path", b"")))
    if status >= 500:
        emit(
            Event.REQUEST_FAILED,
            request=request.state.request_id,
            path=request.scope["path"],
            because=exc,
            exception=exc,
        )
    return problem(status, document, request.state.request_id)


def _as_refusal(exc: Exception, raw_path: bytes) -> Exception:
    if isinstance(exc, HTTPException) and exc.status_code == 404 and b"%2f" in raw_path.lower():
        return RequestRefused(
            404,
            "no_such_route",
            "A path cannot contain a name with a slash, not even as %2F.",
            "use the command line or Python instead, or choose a name without a slash",
        )
    if isinstance(exc, HTTPException):
        code = CODES.get(exc.status_code, "refused")
        return RequestRefused(exc.status_code, code, str(exc.detail), "see /api/v1/openapi.json")
    if isinstance(exc, RequestValidationError):
        wrong = exc.errors()[0]
        where = ".".join(str(part) for part in wrong["loc"])
        return RequestRefused(422, "invalid_input", f"{where}: {wrong['msg']}", "see /api/v1/openapi.json")
    return exc
