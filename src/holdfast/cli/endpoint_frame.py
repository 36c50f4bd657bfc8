"""The picture of an endpoint that `holdfast endpoints watch` paints again every second."""

import asyncio
import sys
from datetime import timedelta

from holdfast.cli.output import flush, tell, write
from holdfast.cli.render import print_table, roughly
from holdfast.db import endpoints
from holdfast.db.connect import Database
from holdfast.model.endpoint import EndpointSecond, EndpointSummary

EVERY = 1.0
CLEAR = "\x1b[H\x1b[2J"


async def watch_endpoint(database: Database, name: str, since: timedelta) -> None:
    """One frame, and if somebody watches another each second for ever."""
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
