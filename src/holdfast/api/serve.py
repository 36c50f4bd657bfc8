"""`holdfast serve`: the API on uvicorn, the maintenance that every worker does, and a worker for actions."""

import asyncio
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.api.app import AddPages, api_app, check_origin
from holdfast.api.limits.bounded_connection import BoundedConnection
from holdfast.api.limits.limits import Limits
from holdfast.api.limits.loopback import is_loopback, loopback_key, loopback_link
from holdfast.api.people.action_worker import acting
from holdfast.api.request.problem import RequestRefused, problem, problem_of
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import has_access_keys
from holdfast.db.connect import Database
from holdfast.maintenance.standard_tasks import standard_tasks
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.access_key import LoginLink, SecretHash
from holdfast.model.error import Conflict, InvalidOption, NotConfigured, WrongState
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

SWEEP = timedelta(seconds=5)
DATABASE_WAIT = timedelta(seconds=5)  # for a free connection; then 503
IDLE_FOR = 75  # seconds between two requests on a connection

# Gets the URL, and the link that opens the dashboard.
Announce = Callable[[str, LoginLink | None], None]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """`port` 0: any free port. `grace`: for requests that are under way when the server stops.

    `stop_delay`: for how long it is not ready, but still takes requests, before it stops.
    `proxies`: addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are believed.
    `without_keys`: calls on loopback need no access key, for `holdfast demo` and `holdfast up --dev`.
    `message_routes`: also serve jobs as messages, under /api/queue.
    `login_link`: on loopback, announce a link that opens the dashboard, for `holdfast up`.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    grace: timedelta = timedelta(seconds=25)
    stop_delay: timedelta = timedelta(0)
    root_path: str = ""
    limits: Limits = field(default_factory=Limits)
    connections: int = 1000
    allow_origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    without_keys: bool = False
    message_routes: bool = False
    login_link: bool = False


async def serve(
    app: Holdfast, options: ServeOptions, announce: Announce, add_pages: AddPages | None = None
) -> None:
    """Until SIGTERM or SIGINT; requests that are under way are answered first."""
    await require_keys(app, options.host, options.without_keys)
    with _listening(options) as listening:
        async with (
            _maintained(app) as maintenance,
            _key_of_loopback(app, options) as key,
            _link_of_loopback(app, options) as link,
            acting(app.database.address.url),
        ):
            server = make_server(app, options, maintenance, key, add_pages)
            url = _url(listening)
            emit(Event.API_STARTED, url=url)
            with _stopped_by_signals(server, options.stop_delay):
                announce(url, link)
                await server.serve(sockets=[listening])
            await server.abandon()
            emit(Event.API_STOPPED, url=url)


async def require_keys(app: Holdfast, host: str, without_keys: bool = False) -> None:
    """Without a key the API is useless; on loopback it may start before the first one is made."""
    if is_loopback(host):
        return
    if without_keys or not await has_access_keys(app.database):
        raise NotConfigured(
            f"The API must not listen on {host} without access keys.",
            "make a key with 'holdfast keys create NAME --role admin', or listen on 127.0.0.1",
        )


def _key_of_loopback(
    app: Holdfast, options: ServeOptions
) -> "AbstractAsyncContextManager[SecretHash | None]":
    return loopback_key(app) if options.without_keys else nullcontext()


def _link_of_loopback(
    app: Holdfast, options: ServeOptions
) -> "AbstractAsyncContextManager[LoginLink | None]":
    return loopback_link(app) if options.login_link and is_loopback(options.host) else nullcontext()


def read_origins(origins: Iterable[str]) -> tuple[str, ...]:
    return tuple(check_origin(origin) for origin in origins)


def read_proxies(proxies: Iterable[str]) -> tuple[str, ...]:
    """Addresses or networks. uvicorn would compare a host name with addresses, and trust no proxy."""
    try:
        return tuple(str(ipaddress.ip_network(proxy)) for proxy in proxies)
    except ValueError as exc:
        raise InvalidOption(
            f"A proxy must be given as an IP address or network: {exc}.",
            "write an address such as 10.0.0.7, or a network such as 10.0.0.0/8",
        ) from exc


@contextmanager
def _listening(options: ServeOptions) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        listening = socket.create_server((options.host, options.port), family=family, backlog=2048)
    except OSError as exc:
        raise Conflict(
            f"The address {options.host} port {options.port} cannot be used: {exc.strerror}.",
            "choose another address or port, or port 0 for any free port",
        ) from exc
    with listening:
        yield listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def _maintained(app: Holdfast) -> "AsyncIterator[asyncio.Task[None]]":
    """On a connection of its own, so that requests do not wait for it."""
    async with Database(app.database.address, pool_size=1, application_name="holdfast serve") as database:
        sweeper = Sweeper(database, standard_tasks(SWEEP))
        working = asyncio.create_task(sweeper.run(), name="holdfast-maintenance")
        try:
            yield working
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


def make_server(
    app: Holdfast,
    options: ServeOptions,
    maintenance: "asyncio.Task[None]",
    key: SecretHash | None,
    add_pages: AddPages | None = None,
) -> "_Server":
    async def maintained() -> None:
        if maintenance.done():
            raise WrongState("The background maintenance of this server has stopped because of an error.")

    def is_stopping() -> bool:
        return server.should_exit

    async def stays() -> None:
        if server.is_leaving:
            raise WrongState("The server is stopping.")

    api = api_app(
        app,
        limits=options.limits,
        checks={"maintenance": maintained, "stopping": stays},
        is_stopping=is_stopping,
        allow_origins=options.allow_origins,
        without_keys=key,
        message_routes=options.message_routes,
        add_pages=add_pages,
    )
    server = _Server(_config(answering_ended(api), options))
    return server


def _config(api: ASGIApp, options: ServeOptions) -> uvicorn.Config:
    return uvicorn.Config(
        api,
        http=_protocol(options),  # on h11: httptools has no limit for the size of headers
        h11_max_incomplete_event_size=options.limits.headers,  # `Guard` bounds those that come at once
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=bool(options.proxies),
        forwarded_allow_ips=list(options.proxies),
        server_header=False,
        root_path=options.root_path,
        timeout_keep_alive=IDLE_FOR,
        timeout_graceful_shutdown=round(options.grace.total_seconds()),
    )


def answering_ended(api: ASGIApp) -> ASGIApp:
    """A request that is ended because the server stops gets an answer, unless its answer has begun."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await api(scope, receive, sending)
        except asyncio.CancelledError:
            if not has_begun:
                refused = RequestRefused(
                    503, "server_stopping", "The server is stopping.", "send the request again"
                )
                known = scope.get("state", {}).get("request_id") or uuid4().hex
                await problem(*problem_of(refused), known)(scope, receive, send)

    return app


def _protocol(options: ServeOptions) -> type[BoundedConnection]:
    class Connection(BoundedConnection):
        within, most = options.limits.receive.total_seconds(), options.connections

    return Connection


class _Server(uvicorn.Server):
    """Leaves signals to the caller: uvicorn would raise them again, and the process end by them."""

    is_leaving = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def leave(self, after: timedelta) -> None:
        """The second call ends the delay and the grace."""
        self.force_exit = self.should_exit = self.is_leaving
        if not self.is_leaving:
            self.is_leaving = True
            emit(Event.API_STOPPING, requests=len(self.server_state.tasks))
            asyncio.get_running_loop().call_later(after.total_seconds(), self._stop)

    async def abandon(self) -> None:
        """End requests that were not answered in time: they would keep their connections to the database."""
        left = list(self.server_state.tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _stop(self) -> None:
        self.should_exit = True


@contextmanager
def _stopped_by_signals(server: _Server, delay: timedelta) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.leave, delay)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
