"""`holdfast schedules add`, `set`, `pause`, `resume`, `remove` and `run`."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor, read_settings
from holdfast.cli.frame.output import command, say, tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.client.filters import json_or_text
from holdfast.client.schedule import ScheduleSettings, schedule_wire
from holdfast.client.schedules import add_schedule as add
from holdfast.client.schedules import change_schedule as change
from holdfast.db import schedules

ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name.")]
Settings = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY=VALUE...",
        help="The settings, such as task=report every=5m. Keys: "
        f"{', '.join(ScheduleSettings.__annotations__)}.",
    ),
]


def _text_or_none(value: str) -> str | None:
    return None if value == "null" else value


# A cron expression or a name may look like JSON.
READERS: dict[str, Callable[[str], Any]] = dict.fromkeys(
    ("task", "pipeline", "cron", "every", "tz", "missed", "overlap"), _text_or_none
)


def add_schedule(
    context: typer.Context,
    name: ScheduleName,
    settings: Settings,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Add a schedule: run a task or pipeline at given times.

    Give task=NAME or pipeline=NAME, and cron=EXPRESSION or every=INTERVAL. tz=ZONE is the time zone of the
    cron expression. options=JSON sets the options of the jobs.

    missed=... says what happens after times at which no worker ran. last (the default): one job is enqueued
    for all of them. all: one job is enqueued for each of them. skip: none is enqueued. With overlap=skip, no
    job is enqueued while the previous one has not ended.

    \b
    holdfast schedules add sales task=report 'cron=0 7 * * 1-5' tz=Europe/Berlin
    holdfast schedules add cleanup task=cleanup every=15m overlap=skip
    """
    given = _read(name, settings)
    changes = with_database(context, lambda database: add(database, name, given, reason, actor()))
    print_changes(as_json, name, changes)


def set_schedule(
    context: typer.Context,
    name: ScheduleName,
    settings: Settings,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Change settings of a schedule.

    Shows each changed setting before and after. If you change cron, every or tz, the new times apply from
    now on, and old times that were missed are skipped. KEY=null restores the default. The audit trail records
    the change and --reason.

    holdfast schedules set sales 'cron=0 8 * * 1-5'
    """
    given = _read(name, settings)
    changes = with_database(context, lambda database: change(database, name, given, reason, actor()))
    print_changes(as_json, name, changes)


def pause_schedule(context: typer.Context, name: ScheduleName, reason: Reason = None) -> None:
    """Pause a schedule: enqueue no more jobs at its times."""
    with_database(context, lambda database: schedules.pause_schedule(database, name, reason, actor()))
    tell(f"paused: {name}")
    say(f"hint: {command('schedules', 'resume', name)}")


def resume_schedule(context: typer.Context, name: ScheduleName, reason: Reason = None) -> None:
    """Resume a schedule: enqueue jobs at its times again, from now on.

    The times that passed during the pause are skipped. A schedule whose cron expression or time zone was
    invalid is checked again.
    """
    with_database(context, lambda database: schedules.resume_schedule(database, name, reason, actor()))
    tell(f"resumed: {name}")


def remove_schedule(context: typer.Context, name: ScheduleName, reason: Reason = None) -> None:
    """Remove a schedule. Its jobs stay.

    An app that declares the schedule adds it again when the app starts. To stop such a schedule, pause it.
    """
    with_database(context, lambda database: schedules.remove_schedule(database, name, reason, actor()))
    tell(f"removed: {name}")


def run_schedule(
    context: typer.Context, name: ScheduleName, reason: Reason = None, as_json: Json = False
) -> None:
    """Enqueue one job of a schedule now. This changes nothing about the scheduled times."""
    job = with_database(context, lambda database: schedules.run_schedule(database, name, reason, actor()))
    if as_json:
        print_json({"job": job})
    else:
        tell(str(job))


def _read(name: str, settings: list[str]) -> dict[str, Any]:
    readers = {**READERS, "payload": json_or_text}
    return schedule_wire(name, read_settings(settings, readers, "'cron=0 7 * * 1-5'"))
