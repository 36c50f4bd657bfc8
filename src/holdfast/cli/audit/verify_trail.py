"""`holdfast audit verify`."""

from datetime import date
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import Columns, print_json, print_table
from holdfast.cli.frame.session import with_database
from holdfast.db import audit
from holdfast.model.audit import AuditDay, DayStatus
from holdfast.model.error import InvalidOption

BROKEN = 1  # exit status
DAYS: Columns[AuditDay] = {
    "day": lambda one: one.day and one.day.isoformat(),
    "events": lambda one: one.events,
    "status": lambda one: one.status,
    "seal": lambda one: (one.seal or "")[:16],
    "problem": lambda one: one.problem,
}
Day = Annotated[
    str | None, typer.Option(metavar="DAY", help="Only this day and later ones, such as 2030-01-31.")
]
Until = Annotated[str | None, typer.Option(metavar="DAY", help="Only this day and earlier ones.")]
Expect = Annotated[
    str | None,
    typer.Option(
        metavar="SEAL", help="Fail unless one of the days has this seal, of which you kept a copy elsewhere."
    ),
]


def verify_trail(
    context: typer.Context,
    since: Day = None,
    until: Until = None,
    expect: Expect = None,
    as_json: Json = False,
) -> None:
    """Compare the audit trail with its seals: one hash per day.

    Exits with code 1 if an event or a seal was changed, removed, added or reordered. A superuser of the
    database could also replace all seals. To detect that, keep a seal elsewhere and pass it with --expect.
    Days are those of UTC.
    """
    first, last = _day(since, "--since"), _day(until, "--until")
    days = with_database(context, lambda database: audit.verify_events(database, first, last, expect))
    broken = [day for day in days if day.status is DayStatus.BROKEN]
    if as_json:
        print_json({"intact": not broken, "days": days})
    else:
        _print(days, broken)
    if broken:
        raise typer.Exit(BROKEN)


def _print(days: list[AuditDay], broken: list[AuditDay]) -> None:
    print_table(
        [*DAYS], ([cell(day) for cell in DAYS.values()] for day in days), keep=("day", "status", "seal")
    )
    sealed = [day for day in days if day.day is not None and day.seal is not None]
    if broken:
        say(f"broken: {len(broken):,} of {len(days):,}")
    elif sealed:
        say(f"intact; keep this seal elsewhere for a later check: --expect {sealed[-1].seal}")
    else:
        say("note: no day is sealed yet; a worker seals each day after its end")


def _day(value: str | None, option: str) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise InvalidOption(f"{option} must be a day (got {value!r}).", "write it as 2030-01-31") from None
