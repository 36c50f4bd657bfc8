"""`holdfast queues pause` and `holdfast queues resume`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Reason, actor
from holdfast.cli.frame.output import command, say, tell
from holdfast.cli.frame.session import with_database
from holdfast.cli.queues.list_queues import full_pause_note
from holdfast.db import queues
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import some
from holdfast.model.queue import FullPause

OneName = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="The queue's name. Instead of a name, you can give --all."),
]
PauseAll = Annotated[bool, typer.Option("--all", help="Pause all queues, also those that are created later.")]
ResumeAll = Annotated[
    bool, typer.Option("--all", help="End the pause that 'holdfast queues pause --all' began.")
]


def pause_queue(
    context: typer.Context, name: OneName = None, all_queues: PauseAll = False, reason: Reason = None
) -> None:
    """Start no more jobs of a queue, or of all queues. Running jobs continue."""
    if one := _one(name, all_queues):
        with_database(context, lambda database: queues.pause_queue(database, one, reason, actor()))
    else:
        with_database(context, lambda database: queues.pause_all(database, reason, actor()))
    tell(f"paused: {one or 'all queues'}")
    say(f"hint: {command('queues', 'resume', one or '--all')}")


def resume_queue(
    context: typer.Context, name: OneName = None, all_queues: ResumeAll = False, reason: Reason = None
) -> None:
    """Resume a paused queue: workers start its jobs again.

    A queue that was paused by name must be resumed by name. A pause with --all ends only by a resume with
    --all.
    """
    if one := _one(name, all_queues):
        whole = with_database(context, lambda database: _resume(database, one, reason))
        tell(f"resumed: {one}")
        if whole is not None:
            say(full_pause_note(whole))
        return
    rest = with_database(context, lambda database: queues.resume_all(database, reason, actor()))
    tell("resumed: all queues")
    if rest:
        say(f"note: still paused by name: {some(rest)}; to resume: {command('queues', 'resume', 'NAME')}")


def _one(name: str | None, all_queues: bool) -> str | None:
    if (name is None) != all_queues:
        raise InvalidOption(
            "Both a queue and --all are given." if name else "No queue is given.",
            "give the name of one queue, or --all",
        )
    return name


async def _resume(database: Database, name: str, reason: str | None) -> FullPause | None:
    await queues.resume_queue(database, name, reason, actor())
    return await queues.full_pause(database)
