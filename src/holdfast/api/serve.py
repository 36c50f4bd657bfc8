"""`holdfast serve`: the API on uvicorn, with the maintenance that every worker does."""

import asyncio
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

import uvicorn

from holdfast.api.app import api_app
from holdfast.api.bounded_headers import BoundedHeaders
from holdfast.api.guard import Limits
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import has_access_keys
from holdfast.db.connect import Database
from holdfast.maintenance.standard_tasks import standard_tasks
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.error import Conflict, NotConfigured, WrongState

SWEEP = timedelta(seconds=5)
HEADERS_LIMIT = 16 * 1024  # bytes
IDLE_FOR = 75  # seconds between two requests on a connection
MOST_CONNECTIONS = 1000


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """`port` 0: any free port. `grace`: for requests that are under way when the server stops."""

    host: str = "127.0.0.1"
    port: int = 8080
    grace: timedelta = timedelta(seconds=25)
    root_path: str = ""
    limits: Limits = field(default_factory=Limits)


async def serve(app: Holdfast, options: ServeOptions, announce: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT; requests that are under way are answered first."""
    await require_keys(app, options.host)
    with _listening(options) as listening:
        async with _maintained(app) as maintenance:
            server = _server(app, options, maintenance)
            announce(_url(listening))
            with _stopped_by_signals(server):
                await server.serve(sockets=[listening])


async def require_keys(app: Holdfast, host: str) -> None:
    """Without a key nobody could call the API; on loopback it may start before the first key is made."""
    if not is_loopback(host) and not await has_access_keys(app.database):
        raise NotConfigured(
            f"The API must not listen on {host} without access keys.",
            "make one with 'holdfast keys create NAME --role admin', or listen on 127.0.0.1",
        )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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


def _server(app: Holdfast, options: ServeOptions, maintenance: "asyncio.Task[None]") -> "_Server":
    async def maintained() -> None:
        if maintenance.done():
            raise WrongState("The maintenance of this server has ended.")

    def is_stopping() -> bool:
        return server.should_exit

    checks = {"maintenance": maintained}
    config = uvicorn.Config(
        api_app(app, limits=options.limits, checks=checks, is_stopping=is_stopping),
        http=BoundedHeaders,  # on h11: httptools has no limit for the size of headers
        h11_max_incomplete_event_size=HEADERS_LIMIT,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        root_path=options.root_path,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_FOR,
        timeout_graceful_shutdown=round(options.grace.total_seconds()),
    )
    server = _Server(config)
    return server


class _Server(uvicorn.Server):
    """Leaves signals to the caller: uvicorn would raise them again, and the process end by them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """A second signal does not wait for requests any more."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
