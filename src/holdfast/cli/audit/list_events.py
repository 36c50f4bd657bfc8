"""`holdfast audit list`, `show` and `export`."""

from typing import Annotated

import typer

from holdfast.cli.audit.event_filter_options import event_filter
from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.render import Columns, clock, print_list, print_one
from holdfast.cli.frame.session import with_database
from holdfast.client import audit
from holdfast.client.audit import EventFilter
from holdfast.db.connect import Database
from holdfast.model.audit import AuditEvent
from holdfast.model.json_document import json_text

NAMED = ("queue", "task", "endpoint", "pipeline", "day")


def subject(event: AuditEvent) -> object:
    """What the event is about: a job, or what its detail names."""
    named = (event.detail[name] for name in NAMED if isinstance(event.detail.get(name), str))
    return event.job or next(named, event.queue or event.run)


EVENTS: Columns[AuditEvent] = {
    "id": lambda one: one.id,
    "time": lambda one: clock(one.at),
    "kind": lambda one: one.cause,
    "subject": subject,
    "actor": lambda one: one.actor or one.login,
    "reason": lambda one: one.reason,
}


@takes(filters=event_filter)
def list_events(
    context: typer.Context, filters: EventFilter, limit: Limit = 50, as_json: Json = False
) -> None:
    """List events of the audit trail, the most recent first.

    An event is a change of a setting, an action of an operator, or the end of a job that was rejected, was
    cancelled or became dead.
    """
    found = with_database(context, lambda database: audit.newest_events(database, filters, limit))
    print_list(as_json, "events", found, EVENTS, keep=("id", "time"))


def show_event(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="ID", help="The number of the event.")],
    as_json: Json = False,
) -> None:
    """Show an event with all its details.

    Also shows whether the event is protected by a seal: a hash of all events of the same day (see 'holdfast
    audit verify').
    """
    event = with_database(context, lambda database: audit.get_event(database, number))
    sealed = "not sealed yet" if event.day is None else f"with the day {event.day}"
    print_one(as_json, event, day=None, sealed=sealed)


@takes(filters=event_filter)
def export_events(context: typer.Context, filters: EventFilter) -> None:
    """Print events as JSON, one line per event, the most recent first."""

    async def export(database: Database) -> int:
        count = 0
        async for event in audit.every_event(database, filters):
            write(json_text(event))
            count += 1
        return count

    say(f"{with_database(context, export):,} exported")
