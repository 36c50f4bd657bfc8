"""`holdfast queues list` and `holdfast queues show`."""

import typer

from holdfast.cli.frame.common_options import (
    After,
    Json,
    Limit,
    QueueName,
)
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import Columns, ago, clock, counts, print_list, print_one
from holdfast.cli.frame.session import with_database
from holdfast.db import queues
from holdfast.db.connect import Database
from holdfast.model.queue import FullPause, QueueSummary

COUNTS = ("waiting", "scheduled", "ready", "running")
COLUMNS: Columns[QueueSummary] = {
    "name": lambda queue: queue.name,
    "state": lambda queue: "paused" if queue.paused_at else "open",
    "waiting": lambda queue: counts(queue, ["waiting"], queue.more_than)[0],
    "scheduled": lambda queue: counts(queue, ["scheduled"], queue.more_than)[0],
    "ready": lambda queue: counts(queue, ["ready"], queue.more_than)[0],
    "running": lambda queue: counts(queue, ["running"], queue.more_than)[0],
    "most": lambda queue: queue.max_concurrent,
    "rate": lambda queue: queue.rate,
    "oldest": lambda queue: ago(queue.oldest_ready),
}


def list_queues(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """List queues by name, with job counts by state."""
    found, whole = with_database(context, lambda database: _list(database, limit + 1, after))
    print_list(as_json, "queues", found, COLUMNS, ("state", *COUNTS), limit)
    if whole is not None and not as_json:
        say(full_pause_note(whole))


def show_queue(context: typer.Context, name: QueueName, as_json: Json = False) -> None:
    """Show one queue: its settings and its jobs by state."""
    found = with_database(context, lambda database: queues.get_queue(database, name))
    shown = dict(zip(COUNTS, counts(found, COUNTS, found.more_than), strict=True))
    # Beside the counts, and only where they were cut off.
    hidden = dict.fromkeys(["more_than", "sampled_at", *(f"sampled_{name}" for name in COUNTS)])
    print_one(as_json, found, **shown, **hidden)


def full_pause_note(pause: FullPause) -> str:
    why = f": {pause.reason}" if pause.reason else ""
    since = clock(pause.paused_at)
    return f"note: all queues have been paused since {since}{why}; to resume: holdfast queues resume --all"


async def _list(
    database: Database, limit: int, after: str | None
) -> tuple[list[QueueSummary], FullPause | None]:
    return await queues.list_queues(database, limit, after), await queues.full_pause(database)
