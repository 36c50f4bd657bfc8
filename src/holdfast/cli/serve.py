"""`holdfast serve`."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.frame.global_options import Target, start_logging, target_of
from holdfast.cli.frame.output import flush, say, write
from holdfast.cli.frame.session import address_of, ensure_schema
from holdfast.client.app import Holdfast
from holdfast.model.byte_size import parse_size
from holdfast.model.duration import parse_duration
from holdfast.model.server_extra import server_extra_missing

if TYPE_CHECKING:
    from holdfast.api.serve import ServeOptions


def serve(
    context: typer.Context,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Listen here. Beyond loopback it needs access keys.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 means any free port.")] = 8080,
    grace: Annotated[
        str, typer.Option(metavar="DURATION", help="How long requests may take when the server stops.")
    ] = "25s",
    body_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="Refuse a larger body, such as 1MiB.")
    ] = "1MiB",
    bulk_limit: Annotated[
        str, typer.Option(metavar="SIZE", help="Refuse a larger bulk enqueue, such as 64MiB.")
    ] = "64MiB",
    root_path: Annotated[
        str, typer.Option(metavar="PATH", help="The path that a proxy before the server removes.")
    ] = "",
) -> None:
    """The server does maintenance as workers do. SIGTERM and Ctrl-C stop it; requests under way are answered.

    Callers need an access key: holdfast keys create NAME --role ROLE. Needs the extra server.
    """
    target = target_of(context)
    start_logging(target, "info")
    options = _options(host, port, grace, body_limit, bulk_limit, root_path)
    asyncio.run(_serve(target, options))


def _options(
    host: str, port: int, grace: str, body_limit: str, bulk_limit: str, root_path: str
) -> "ServeOptions":
    try:
        from holdfast.api.guard import Limits
        from holdfast.api.serve import ServeOptions
    except ModuleNotFoundError as exc:
        raise server_extra_missing("holdfast serve", exc) from exc
    limits = Limits(body=parse_size(body_limit), bulk=parse_size(bulk_limit))
    return ServeOptions(host, port, parse_duration(grace), root_path, limits)


async def _serve(target: Target, options: "ServeOptions") -> None:
    from holdfast.api.serve import serve as serve_api

    async with Holdfast(address_of(target).url, name="serve") as app:
        await ensure_schema(app.database, target)
        await serve_api(app, options, _announce)


def _announce(url: str) -> None:
    write(url)
    flush()
    say(f"holdfast: the API is at {url}/api/v1; Ctrl-C ends it")
