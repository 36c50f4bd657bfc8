"""The options that say which events of the audit trail a command means."""

from datetime import datetime
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import identifier, moment
from holdfast.client.audit import EventFilter


def event_filter(
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only events at or after this time, such as 2030-01-31T09:00:00Z."),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only events before this time.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only events of this person or program.")] = None,
    login: Annotated[str | None, typer.Option(help="Only events of this database login.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only events of this kind, such as set_queue, pause or end.")
    ] = None,
    queue: Annotated[str | None, typer.Option(help="Only events of this queue.")] = None,
    job: Annotated[str | None, typer.Option(metavar="ID", help="Only events of this job.")] = None,
) -> EventFilter:
    """A set of options."""
    return EventFilter(
        since=_time(since, "--since"),
        until=_time(until, "--until"),
        actor=actor,
        login=login,
        cause=kind,
        queue=queue,
        job=None if job is None else identifier(job),
    )


def _time(value: str | None, option: str) -> datetime | None:
    found = moment(value, option)
    return None if found is None else datetime.fromisoformat(found)
