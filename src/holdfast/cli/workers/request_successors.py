"""`holdfast workers continue`."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import typer

from holdfast.cli.frame.output import write
from holdfast.cli.frame.session import with_database
from holdfast.db import continuations
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted
from holdfast.worker.time_box.callback import Callback, CallbackFailed, CommandCallback, HttpCallback


def request_successors(
    context: typer.Context,
    post: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Start a worker by a POST to this URL. Give either --post or --command."
        ),
    ] = None,
    command: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="Start a worker by this command.")
    ] = None,
    patience: Annotated[
        str,
        typer.Option(
            metavar="DURATION", help="Request a successor again if it has not started within this time."
        ),
    ] = "30s",
) -> None:
    """Request the next worker again if it did not start.

    A worker with --time-box requests the next worker, its successor, before it exits. If the successor has
    not started within --patience, this command requests it again. Run this command regularly, for example
    by cron: when no worker is running, nothing else notices that a successor is missing.
    """
    callback, after = _callback(post, command), parse_duration(patience)
    sent = with_database(context, lambda database: _send_again(database, callback, after))
    write(f"requested {counted(sent, 'worker')}")


async def _send_again(database: Database, callback: Callback, patience: timedelta) -> int:
    """All of a batch are tried; a failure is raised after the whole batch."""
    sent, failed = 0, None
    while failed is None and (
        bodies := await continuations.lost_continuations(database, None, None, patience)
    ):
        for body in bodies:
            try:
                await callback(body)
                sent += 1
            except CallbackFailed as exc:
                failed = exc
                await continuations.fail_continuation(database, UUID(body["continuation"]), exc.message)
    if failed is not None:
        raise failed
    return sent


def _callback(post: str | None, command: str | None) -> Callback:
    if (post is None) == (command is None):
        raise InvalidOption(
            "Exactly one of --post and --command must be given.", "give --post URL or --command COMMAND"
        )
    return CommandCallback.parse(command) if command is not None else HttpCallback(post or "")
