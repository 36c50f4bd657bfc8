"""`holdfast flags list`."""

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.render import Columns, ago, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import flags
from holdfast.model.flag import Flag


def scope_of(flag: Flag) -> str:
    if flag.queue is not None:
        return f"queue {flag.queue}"
    return "all" if flag.group is None else f"group {flag.group}"


COLUMNS: Columns[Flag] = {
    "flag": lambda flag: flag.name,
    "for": scope_of,
    "value": lambda flag: flag.value if flag.is_set else f"{flag.value} (default)",
    "set": lambda flag: ago(flag.set_at),
    "by": lambda flag: flag.actor,
    "reason": lambda flag: flag.reason,
}


def list_flags(context: typer.Context, limit: Limit = 100, as_json: Json = False) -> None:
    """List flags with their values, also those that are set for one queue or one group of workers."""
    found = with_database(context, lambda database: flags.list_flags(database, limit + 1))
    print_list(as_json, "flags", found, COLUMNS, ("flag", "for", "value"), limit)
