"""The dashboard as routes of the API's server: its pages, their live updates, log-in and files."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from urllib.parse import quote

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, compile_path

from holdfast.api.app import Served, answer_error
from holdfast.api.request import session_cookie
from holdfast.api.request.problem import RequestRefused, problem_of
from holdfast.dashboard.assets import Assets
from holdfast.dashboard.headers import HEADERS, theme_of
from holdfast.dashboard.live import LivePages
from holdfast.dashboard.log_in import LogIn
from holdfast.dashboard.page import Elsewhere, Page, View
from holdfast.dashboard.pages.actions import BulkActionPage, BulkActions
from holdfast.dashboard.pages.audit import AuditEventPage, AuditTrail
from holdfast.dashboard.pages.dead import DeadLetters
from holdfast.dashboard.pages.doctor import Doctor
from holdfast.dashboard.pages.endpoints import Endpoint, Endpoints
from holdfast.dashboard.pages.errors import Errors
from holdfast.dashboard.pages.flags import Flags
from holdfast.dashboard.pages.job import JobPage
from holdfast.dashboard.pages.jobs import Jobs
from holdfast.dashboard.pages.keys import Keys
from holdfast.dashboard.pages.overview import CaptureMonitor, Overview
from holdfast.dashboard.pages.pipelines import PipelineBoard, Pipelines
from holdfast.dashboard.pages.queue import Queue
from holdfast.dashboard.pages.queues import Queues
from holdfast.dashboard.pages.reports import Reports
from holdfast.dashboard.pages.rules import RulesPage
from holdfast.dashboard.pages.run import RunPage
from holdfast.dashboard.pages.runs import Runs
from holdfast.dashboard.pages.schedules import Schedules
from holdfast.dashboard.pages.workers import Worker, Workers
from holdfast.dashboard.render import Renderer
from holdfast.db import clock
from holdfast.model.error import HoldfastError, NotAuthenticated
from holdfast.model.masking import Masking

PAGES: tuple[type[Page], ...] = (
    Overview,
    CaptureMonitor,
    Jobs,
    BulkActions,
    BulkActionPage,
    Errors,
    JobPage,
    DeadLetters,
    Runs,
    RunPage,
    Pipelines,
    PipelineBoard,
    Endpoints,
    Endpoint,
    Workers,
    Worker,
    Queues,
    Queue,
    Schedules,
    RulesPage,
    Flags,
    Keys,
    Reports,
    AuditTrail,
    AuditEventPage,
    Doctor,
)
API = ("/api/", "/metrics", "/livez", "/readyz", "/.netlify/")
# Of a request for a page, sent by a browser for a link on another site.
FROM_ELSEWHERE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}

Handler = Callable[[Request], Awaitable[Response]]


def add_dashboard(api: FastAPI, served: Served, masking: Masking | None = None) -> None:
    Dashboard(served, masking or Masking()).add_to(api)


class Dashboard:
    def __init__(self, served: Served, masking: Masking) -> None:
        self._served, self._masking = served, masking
        self._pages = [page() for page in PAGES]
        self._paths = [(compile_path(page.path), page) for page in self._pages]
        self._assets = Assets()
        self._renderer = Renderer(self._assets, frozenset(page.path for page in self._pages))
        self._live = LivePages(served, self._renderer, self.match, masking)

    def add_to(self, api: FastAPI) -> None:
        for page in self._pages:
            api.router.routes.append(Route(page.path, self._showing(page), methods=["GET"]))
        api.router.routes.extend(LogIn(self._served.access, self._renderer).routes())
        api.router.routes.append(Route("/live", self._live.stream, methods=["GET"]))
        api.router.routes.append(self._assets.route())
        api.add_exception_handler(HTTPException, self._answer_unknown)

    def match(self, path: str) -> tuple[Page, Mapping[str, str]] | None:
        """The page of a path, with the parts of the path by name."""
        for (regex, _, converters), page in self._paths:
            if found := regex.match(path):
                return page, {
                    name: converters[name].convert(value) for name, value in found.groupdict().items()
                }
        return None

    def _showing(self, page: Page) -> Handler:
        async def show(request: Request) -> Response:
            try:
                return await self._show(page, request)
            except NotAuthenticated:
                return self._to_log_in(request)
            except Elsewhere as other:
                return RedirectResponse(request.scope.get("root_path", "") + other.path, 303, headers=HEADERS)
            except (HoldfastError, RequestRefused) as exc:
                return self._refusal(request, exc)

        return show

    async def _show(self, page: Page, request: Request) -> Response:
        app, root = self._served.app, request.scope.get("root_path", "")
        caller = await page.allow(self._served.access, request, request.path_params)
        query = tuple(request.query_params.multi_items())
        now = await clock.now(app.database)
        share = partial(self._served.access.share_of, caller)
        view = View(app, caller, request.path_params, query, now, self._masking, share)
        shown = await page.read(view)
        html = self._renderer.page(
            page, view, shown, root, theme_of(request), session_cookie.cookie_name(request) in request.cookies
        )
        return HTMLResponse(html, headers=HEADERS)

    def _to_log_in(self, request: Request) -> Response:
        """A link on another site leads here without the cookie, which is SameSite=Strict: the page that the
        browser gets then opens the same address once more, and that request is one of this site.
        """
        root = request.scope.get("root_path", "")
        if FROM_ELSEWHERE.items() <= dict(request.headers).items():
            html = self._renderer.plain("open_again.html", root, theme_of(request), title="Opening")
            return HTMLResponse(html, headers=HEADERS)
        query = request.scope["query_string"].decode("latin-1")
        wanted = quote(_path(request)) + (f"?{query}" if query else "")
        return RedirectResponse(f"{root}/login?next={quote(wanted, safe='')}", 303, headers=HEADERS)

    def _refusal(self, request: Request, exc: Exception) -> Response:
        status, document = problem_of(exc)
        return self._page_of(request, status, document["title"], document["detail"], document.get("hint"))

    def _page_of(self, request: Request, status: int, title: str, words: str, hint: str | None) -> Response:
        root = request.scope.get("root_path", "")
        html = self._renderer.plain(
            "refusal.html",
            root,
            theme_of(request),
            title=title,
            words=words,
            hint=hint,
            status=status,
        )
        return HTMLResponse(html, status, headers=HEADERS)

    async def _answer_unknown(self, request: Request, exc: Exception) -> Response:
        """A page for a browser, a problem for a program."""
        path = _path(request)
        is_page = "text/html" in request.headers.get("accept", "") and not path.startswith(API)
        if not is_page or not isinstance(exc, HTTPException) or exc.status_code != 404:
            return await answer_error(request, exc)
        hint = "The address may be misspelt, or what it showed has been deleted."
        return self._page_of(request, 404, "There is no such page", hint, None)


def _path(request: Request) -> str:
    """Below the root path. `request.url` would read the header Host, which may be no host."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))
