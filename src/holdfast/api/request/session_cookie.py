"""The cookie of a session: how it is set, read and deleted, and from which pages it is accepted."""

import re
from collections.abc import Collection
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.origin import BY_NO_OTHER_PAGE, BY_OWN_PAGE, is_own_origin
from holdfast.api.request.problem import RequestRefused

NAME = "holdfast_session"  # with the port behind it, if the address has one
SAFE = frozenset({"GET", "HEAD"})
_PORT = re.compile(r":(\d{1,5})$")


def session_secret(request: Request) -> str | None:
    """What the request's cookie holds. Raises RequestRefused if a page of another origin sent it."""
    secret = request.cookies.get(cookie_name(request))
    if secret:
        check_page(request)
    return secret or None


def check_page(request: Request) -> None:
    """A browser adds the cookie to what other pages of the same site send, those on other ports too.

    SameSite leaves them out only if their site differs. A page may be opened by a link from anywhere.
    """
    path: str = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    is_safe = request.method in SAFE
    if is_safe and not path.startswith("/api/"):
        return
    _check_origin(request, BY_NO_OTHER_PAGE if is_safe else BY_OWN_PAGE)


def check_form(request: Request) -> None:
    """A log-in or log-out, which a page of another origin could otherwise send for a person, with or without
    a cookie; a plain link is no form.
    """
    _check_origin(request, BY_OWN_PAGE)


def _check_origin(request: Request, sites: Collection[str]) -> None:
    if not is_own_origin(request.headers, sites):
        raise RequestRefused(
            403,
            "origin_not_allowed",
            "The server accepts a session cookie only from its own pages.",
            "a program or another site must send an access key; for pages of this server, check that the "
            "proxy in front of it passes on the header Host",
        )


def set_session(request: Request, response: Response, secret: str, lasts: timedelta) -> None:
    response.set_cookie(
        cookie_name(request),
        secret,
        max_age=int(lasts.total_seconds()),
        path=_path(request),
        secure=_is_secure(request),
        httponly=True,
        samesite="strict",
    )


def delete_session(request: Request, response: Response) -> None:
    response.delete_cookie(
        cookie_name(request),
        path=_path(request),
        secure=_is_secure(request),
        httponly=True,
        samesite="strict",
    )


def cookie_name(request: Request) -> str:
    """A browser sends a cookie to all ports of a host: without the port in its name, two servers there would
    replace each other's.
    """
    found = _PORT.search(request.headers.get("host", ""))
    return f"{NAME}_{found[1]}" if found else NAME


def _path(request: Request) -> str:
    """Where the API is mounted, or the path that a proxy removes."""
    root: str = request.scope.get("root_path", "")
    return root or "/"


def _is_secure(request: Request) -> bool:
    """By the scheme that a trusted proxy forwards, if there is one. Over plain HTTP it would be lost."""
    return bool(request.scope["scheme"] == "https")
