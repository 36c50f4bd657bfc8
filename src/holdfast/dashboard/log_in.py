"""Log-in with an access key or a one-time link, and log-out."""

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from holdfast.api.request.access import Access
from holdfast.dashboard.headers import HEADERS, theme_of
from holdfast.dashboard.render import Renderer
from holdfast.model.error import NotAuthenticated

WRONG_KEY = "This access key is unknown, expired or revoked."
WRONG_LINK = "This link was used already, or it has expired. Log in with an access key."


class LogIn:
    def __init__(self, access: Access, renderer: Renderer) -> None:
        self._access, self._renderer = access, renderer

    def routes(self) -> list[Route]:
        return [
            Route("/login", self.ask, methods=["GET"]),
            Route("/login", self.log_in, methods=["POST"]),
            Route("/logout", self.log_out, methods=["POST"]),
        ]

    async def ask(self, request: Request) -> Response:
        """The form, for a key or, with a link in the query, with a button that uses the link: programs that
        look at links before a person does, such as scanners of mail, must not use it up.
        """
        given = request.query_params
        return self._form(request, given.get("next", ""), link=given.get("link", ""))

    async def log_in(self, request: Request) -> Response:
        given = _fields(await request.body())
        secret, link, wanted = (given.get(name, [""])[0].strip() for name in ("key", "link", "next"))
        return await self._open(request, link or secret, wanted, WRONG_LINK if link else WRONG_KEY)

    async def log_out(self, request: Request) -> Response:
        response = RedirectResponse(request.scope.get("root_path", "") + "/login", 303, headers=HEADERS)
        await self._access.log_out(request, response)
        return response

    async def _open(self, request: Request, secret: str, wanted: str, wrong: str) -> Response:
        root = request.scope.get("root_path", "")
        response = RedirectResponse(root + own_path(wanted), 303, headers=HEADERS)
        try:
            await self._access.log_in(request, response, secret)
        except NotAuthenticated:
            return self._form(request, wanted, wrong)
        return response

    def _form(self, request: Request, wanted: str, wrong: str = "", link: str = "") -> Response:
        root = request.scope.get("root_path", "")
        html = self._renderer.plain(
            "log_in.html",
            root,
            theme_of(request),
            title="Log in",
            next=own_path(wanted),
            wrong=wrong,
            link=link,
        )
        return HTMLResponse(html, 401 if wrong else 200, headers=HEADERS)


def own_path(wanted: str) -> str:
    """A page of this server, never of another: what is no plain path leads to the overview."""
    is_own = wanted.startswith("/") and wanted.isprintable() and "\\" not in wanted
    return wanted if is_own and not wanted.startswith(("//", "/login", "/logout")) else "/"


def _fields(body: bytes) -> dict[str, list[str]]:
    """None of them if there are too many."""
    try:
        return parse_qs(body.decode("utf-8", "replace"), max_num_fields=10)
    except ValueError:
        return {}
