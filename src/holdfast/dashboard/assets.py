"""Style sheets, the script and the mark, kept in memory and named by their content: browsers keep them."""

from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from holdfast.api.request.problem import RequestRefused

KEPT = "public, max-age=31536000, immutable"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Where each comes from: the colours and sizes are those of reports.
SOURCES = {
    "tokens.css": ("holdfast.report", "look"),
    "app.css": ("holdfast.dashboard", "static"),
    "app.js": ("holdfast.dashboard", "static"),
    "mark.svg": ("holdfast.dashboard", "static"),
}


class Assets:
    def __init__(self) -> None:
        self._found = {name: _read(name, *source) for name, source in SOURCES.items()}

    def path(self, name: str) -> str:
        """Below the root path; a new content has a new name."""
        return f"/static/{sha256(self._found[name]).hexdigest()[:12]}/{name}"

    def route(self) -> Route:
        return Route("/static/{version}/{name}", self._send, methods=["GET", "HEAD"])

    async def _send(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._found:
            raise RequestRefused(404, "no_such_route", "There is no such file.", "reload the page")
        kind = TYPES[name[name.rindex(".") :]]
        return Response(self._found[name], media_type=kind, headers={"Cache-Control": KEPT})


def _read(name: str, package: str, folder: str) -> bytes:
    return files(package).joinpath(folder, name).read_bytes()
