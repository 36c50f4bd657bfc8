"""`holdfast schedules list`."""

from datetime import datetime
from typing import Any

import typer

from holdfast.cli.frame.common_options import After, Json, Limit
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.render import ago, clock, print_json, print_sheet
from holdfast.cli.frame.session import with_database
from holdfast.client.schedule import SHOWN, coming_slots, schedule_document
from holdfast.db.schedules import list_schedules as read_schedules
from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.error import InvalidOption
from holdfast.model.schedule import Schedule


def list_schedules(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """List schedules, with their next five run times and last job."""
    found = with_database(context, lambda database: read_schedules(database, limit + 1, after))
    shown = found[:limit]
    if as_json:
        print_json({"schedules": [schedule_document(one) for one in shown]})
        return
    for place, one in enumerate(shown):
        if place:
            write("")
        print_sheet(_sheet(one))
    if len(found) > limit:
        say(f"note: there are more than {limit}; --limit shows more, --after the next page")


def _sheet(one: Schedule) -> dict[str, Any]:
    slots = coming_slots(one, SHOWN)
    return {
        "schedule": one.name,
        "state": one.state,
        "problem": one.problem,
        "paused": one.paused_reason,
        "runs": one.task or f"pipeline {one.pipeline}",
        "when": _when(one),
        "next": ", ".join(_words(slot) for slot in slots) + (f" (in {_wait(slots[0])})" if slots else ""),
        "last": _last(one),
        "skipped": None if one.skipped_slot is None else f"{clock(one.skipped_slot)} ({one.skipped_because})",
        "undeclared": None if one.undeclared_at is None else f"by {one.app} since {clock(one.undeclared_at)}",
    }


def _when(one: Schedule) -> str:
    try:
        times = ScheduleTimes.read(one.cron, one.every, one.tz)
    except InvalidOption:
        return f"{one.cron}, {one.tz}"
    return times.words() if one.cron is None else f"{times.words()} ({one.cron})"


def _words(slot: datetime) -> str:
    """In the schedule's own zone, whose name stands beside its times."""
    seconds = f":{slot:%S}" if slot.second else ""
    return f"{slot:%a} {slot.day} {slot:%b} {slot:%H:%M}{seconds}"


def _wait(slot: datetime) -> str:
    """Informational, so this machine's clock will do."""
    return ago(slot).removeprefix("in ")


def _last(one: Schedule) -> str | None:
    if one.last_slot is None:
        return None
    return f"{clock(one.last_slot)}: job {one.last_job}, {one.last_state or 'deleted since'}"
