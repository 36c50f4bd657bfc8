"""`holdfast flags set` and `holdfast flags unset`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.db import flags

FlagName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The flag. rescue: whether workers take over the jobs of lost workers. detail: how much "
        "of each job's history is recorded. slots: how many jobs a worker runs at once. claim_size: how many "
        "jobs a worker takes at once.",
    ),
]
OneQueue = Annotated[
    str | None,
    typer.Option("--queue", metavar="NAME", help="For the flags rescue and detail: only for this queue."),
]
OneGroup = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="NAME",
        help="For the flags slots and claim_size: only for workers of this group.",
    ),
]


def set_flag(
    context: typer.Context,
    name: FlagName,
    value: Annotated[
        str,
        typer.Argument(
            metavar="VALUE",
            help="rescue: on or off. detail: off, basic or full. slots: a number. claim_size: a number, or"
            " auto.",
        ),
    ],
    queue: OneQueue = None,
    group: OneGroup = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Set a flag for all queues and workers, or for some of them.

    Running workers apply the change at once. A worker that was started with --slots or --claim-size keeps its
    own value. The audit trail records the change and --reason.
    """
    _change(context, name, value, queue, group, reason, as_json)


def unset_flag(
    context: typer.Context,
    name: FlagName,
    queue: OneQueue = None,
    group: OneGroup = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Remove the value of a flag.

    With --queue or --group, the value for all queues and workers applies again. If you give neither, the
    default applies again.
    """
    _change(context, name, None, queue, group, reason, as_json)


def _change(
    context: typer.Context,
    name: str,
    value: str | None,
    queue: str | None,
    group: str | None,
    reason: str | None,
    as_json: bool,
) -> None:
    changes = with_database(
        context, lambda database: flags.set_flag(database, name, value, queue, group, reason, actor())
    )
    print_changes(as_json, name, changes)
