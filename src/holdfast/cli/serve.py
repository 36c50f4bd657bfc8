"""`holdfast serve`."""

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.frame.fast_loop import run_on_fast_loop
from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.output import flush, say, write
from holdfast.cli.frame.session import ensure_schema, environment_of, refuse_two_databases
from holdfast.cli.workers.load_app import load_app
from holdfast.client.app import Holdfast
from holdfast.model.access_key import LoginLink
from holdfast.model.byte_size import parse_size
from holdfast.model.duration import parse_duration
from holdfast.model.masking import Masking
from holdfast.model.server_extra import server_extra_missing

if TYPE_CHECKING:
    from holdfast.api.serve import ServeOptions

# Set by `holdfast up`, with and without --dev: calls need no access key; a link opens the dashboard.
DEV = "HOLDFAST_UP_WITHOUT_KEYS"
LOGIN_LINK = "HOLDFAST_UP_LOGIN_LINK"

Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Listen on this address. On a non-loopback address, the server refuses to start until an access "
        "key exists.",
    ),
]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="Listen on this port. 0 means any free port.")]


def serve(
    context: typer.Context,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            "-A",
            envvar="HOLDFAST_APP",
            metavar="MODULE:VARIABLE",
            help="Use the database of this app, such as shop.jobs:app. Callers of POST /api/v1/work can run "
            "the app's jobs in the server.",
        ),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    grace: Annotated[
        str,
        typer.Option(
            metavar="DURATION", help="When the server stops, wait at most this long for running requests."
        ),
    ] = "25s",
    stop_delay: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="After SIGTERM, let /readyz fail for this long before the server stops, so that a load "
            "balancer sends no more requests.",
        ),
    ] = "0s",
    body_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="The largest request body to accept, such as 1MiB.")
    ] = "1MiB",
    bulk_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="The largest body of a bulk enqueue to accept, such as 64MiB.")
    ] = "64MiB",
    rate: Annotated[
        float,
        typer.Option(min=0, help="How many requests per second each access key may send; 0 means unlimited."),
    ] = 1000.0,
    waiting: Annotated[
        int, typer.Option(min=1, help="How many long polls and streams each access key may have open.")
    ] = 500,
    connections: Annotated[
        int, typer.Option(min=2, help="How many connections callers may have open in total.")
    ] = 1000,
    database_connections: Annotated[
        int, typer.Option(min=1, max=1000, help="How many connections to open to the database.")
    ] = 10,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="Let web pages of this origin call the API. You can repeat this option."
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="Trust the X-Forwarded headers of this proxy. You can repeat this option."
        ),
    ] = None,
    root_path: Annotated[
        str, typer.Option(metavar="PATH", help="The path prefix that a proxy in front of the server removes.")
    ] = "",
    mask: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Hide this field of payloads in the dashboard. Give a name, such as iban, or a path, such "
            "as author.email. Passwords, tokens and the like are always hidden. You can repeat this option.",
        ),
    ] = None,
    message_routes: Annotated[
        bool,
        typer.Option(
            "--message-routes",
            help="Also serve the message routes, a simpler API under /api/queue: a worker claims a job by "
            "the job's unique key.",
        ),
    ] = False,
) -> None:
    """Callers need an access key, even on this machine: holdfast keys create NAME --role ROLE

    As workers do, the server makes due jobs ready, returns the jobs of lost workers to their queues, and
    deletes old data. On SIGTERM or Ctrl-C it finishes open requests and stops.

    Needs the package holdfast-queue[server].
    """
    target, masking = target_of(context), Masking.with_more(mask or ())
    start_logging(target, "info")
    try:
        from holdfast.api.limits.limits import Limits
        from holdfast.api.serve import ServeOptions, read_origins, read_proxies
    except ModuleNotFoundError as exc:
        raise server_extra_missing("holdfast serve", exc) from exc
    limits = Limits(
        body=parse_size(body_limit),
        bulk=parse_size(bulk_limit),
        waiting_per_key=waiting,
        waiting=connections * 9 // 10,
        rate=rate,
    )
    options = ServeOptions(
        host,
        port,
        parse_duration(grace),
        parse_duration(stop_delay),
        root_path,
        limits,
        connections,
        read_origins(allow_origin or ()),
        read_proxies(proxy or ()),
        without_keys=os.environ.pop(DEV, None) is not None,
        message_routes=message_routes,
        login_link=os.environ.pop(LOGIN_LINK, None) is not None,
    )
    with environment_of(target):
        run_on_fast_loop(_serve(target, app, options, database_connections, masking))


async def _serve(
    target: Target, path: str | None, options: "ServeOptions", pool_size: int, masking: Masking
) -> None:
    from holdfast.api.serve import DATABASE_WAIT
    from holdfast.api.serve import serve as serve_api
    from holdfast.dashboard.dashboard import add_dashboard

    app = Holdfast(name="serve") if path is None else load_app(path)
    app.set_pool(pool_size, DATABASE_WAIT)
    async with app:
        refuse_two_databases(app.database, target)
        await ensure_schema(app.database, target)
        await serve_api(app, options, _announce, partial(add_dashboard, masking=masking))


def _announce(url: str, link: LoginLink | None) -> None:
    """The link is not logged: for its minutes it is as good as the key of an admin."""
    write(url)
    flush()
    say(f"holdfast: the dashboard is at {url}, the API at {url}/api/v1; Ctrl-C ends it")
    if link is not None:
        words = "open the dashboard by this link, which works once and for 10 minutes"
        say(f"holdfast: {words}: {url}/login?link={link.secret}")
