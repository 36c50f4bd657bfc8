"""Servers on loopback: calls without an access key, for `holdfast demo` and `holdfast up --dev`, and a link
to the dashboard for the person who started one.
"""

import ipaddress
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast.api.request.origin import BY_NO_OTHER_PAGE, is_own_origin, named_origin
from holdfast.api.request.problem import RequestRefused
from holdfast.client.app import Holdfast
from holdfast.model.access_key import AccessRole, LoginLink, NewSecret, SecretHash, hash_secret


@asynccontextmanager
async def loopback_key(app: Holdfast) -> AsyncIterator[SecretHash]:
    """An admin key for the calls without one, so that they are checked and recorded as all others."""
    async with _temporary_key(app, "loopback", "a server without keys, on loopback") as made:
        yield hash_secret(made.secret)


@asynccontextmanager
async def loopback_link(app: Holdfast) -> AsyncIterator[LoginLink]:
    """Lets the person who started the server into the dashboard, as an admin, until the server stops."""
    reason = "the dashboard of a server on loopback"
    async with _temporary_key(app, "dashboard", reason) as made:
        yield await app.keys.login_link(made.name, reason=reason)


@asynccontextmanager
async def _temporary_key(app: Holdfast, purpose: str, reason: str) -> AsyncIterator[NewSecret]:
    """Its secret is shown nowhere: a key that a killed process leaves behind lets no caller in."""
    made = await app.keys.create(
        f"{purpose}-{uuid4().hex[:12]}", AccessRole.ADMIN, expires_in="30d", reason=reason
    )
    try:
        yield made
    finally:
        await app.keys.revoke(made.name, "the server has stopped")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class LoopbackOnly:
    """ASGI middleware: refuses what a page of another site makes a browser send.

    By DNS rebinding its own name leads to this machine: the Host header then names it. Without, the browser
    says in Origin or Sec-Fetch-Site that the page is another's.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app, self._origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._check(Headers(scope=scope))
        await self._app(scope, receive, send)

    def _check(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not is_loopback(_name(hosts[0])):
            raise RequestRefused(
                403,
                "host_not_allowed",
                "A server without access keys accepts requests only for localhost or a loopback address "
                f"(got the host {', '.join(hosts)[:200]!r}).",
                "call the server as localhost or 127.0.0.1, or use 'holdfast serve' with an access key",
            )
        if not is_own_origin(headers, BY_NO_OTHER_PAGE, self._origins):
            raise RequestRefused(
                403,
                "origin_not_allowed",
                "A server without access keys refuses requests from web pages of another origin "
                f"(got {named_origin(headers)}).",
                "to allow an origin, set HOLDFAST_SERVE_ALLOW_ORIGIN to that origin and restart the server",
            )


def _name(host: str) -> str:
    """Without the port; an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
