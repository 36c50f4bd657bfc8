"""`holdfast queues set`."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import (
    Json,
    QueueName,
    Reason,
    actor,
    read_settings,
    seconds_or_null,
)
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.client.filters import json_or_text
from holdfast.client.task_and_queue_settings import QueuePolicy, rescue_wire
from holdfast.db import queues

READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("timeout", "max_wait", "cancel_grace", "retention"), seconds_or_null),
    "rescue_delay": lambda value: None if value == "null" else rescue_wire(json_or_text(value)),
}


def set_queue(
    context: typer.Context,
    name: QueueName,
    settings: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="The settings, such as timeout=2m priority=70 max_concurrent=4 rate=100/minute. Keys:"
            f" {', '.join(sorted(QueuePolicy.__annotations__))}.",
        ),
    ],
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Change settings of a queue.

    Shows each changed setting before and after. Creates the queue if it does not exist. KEY=null restores the
    default. The audit trail records the change and --reason.
    """
    policy = read_settings(settings, READERS, "timeout=2m")
    changes = with_database(
        context, lambda database: queues.set_queue(database, name, policy, reason, actor())
    )
    print_changes(as_json, name, changes)
