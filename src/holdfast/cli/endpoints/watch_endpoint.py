"""`holdfast endpoints watch`: the last seconds of an endpoint, painted again every second."""

import asyncio
import sys
from datetime import timedelta
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import EndpointName
from holdfast.cli.frame.output import flush, tell, write
from holdfast.cli.frame.render import print_table, roughly
from holdfast.cli.frame.session import with_database
from holdfast.db import endpoints
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.endpoint import EndpointSecond, EndpointSummary

EVERY = 1.0
CLEAR = "\x1b[H\x1b[2J"


def watch_endpoint(
    context: typer.Context,
    name: EndpointName,
    since: Annotated[str, typer.Option(metavar="DURATION", help="How far to look back, at most 6h.")] = "20s",
) -> None:
    """Show the calls to an endpoint, second by second.

    For each second, shows the number of calls, the number of errors, and the limit on concurrent calls.
    Stop with Ctrl-C.

    If stdout is not a terminal, prints the table once.
    """
    span = parse_duration(since)
    with_database(context, lambda database: _watch(database, name, span))


async def _watch(database: Database, name: str, since: timedelta) -> None:
    """One frame; on a terminal another one each second."""
    while True:
        endpoint = await endpoints.get_endpoint(database, name)
        seconds = await endpoints.endpoint_history(database, name, since)
        if not sys.stdout.isatty():
            paint(endpoint, seconds)
            return
        write(CLEAR)
        paint(endpoint, seconds)
        flush()
        await asyncio.sleep(EVERY)


def paint(endpoint: EndpointSummary, seconds: list[EndpointSecond]) -> None:
    tell(
        f"{endpoint.name}: circuit {endpoint.circuit.value},"
        f" {endpoint.in_flight} of {endpoint.limit} calls run, {endpoint.starts} started so far"
    )
    print_table(
        ("at", "started", "ok", "failed", "limited", "other", "units", "mean", "running", "limit", "circuit"),
        (_row(second) for second in seconds),
        keep=("at", "started", "ok", "failed", "limited", "other", "mean", "running", "limit", "circuit"),
    )


def _row(second: EndpointSecond) -> tuple[object, ...]:
    return (
        f"{second.at:%H:%M:%S}",
        second.started,
        second.ok,
        second.failed,
        second.limited,
        second.other,
        f"{second.units:g}",
        roughly(second.mean),
        second.in_flight,
        second.limit,
        second.circuit.value,
    )
