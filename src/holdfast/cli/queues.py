"""`holdfast queues`."""

from typing import Annotated

import typer

from holdfast.cli.options import After, Json, Limit, Reason, actor, read_settings, seconds_or_null
from holdfast.cli.output import command, say, say_if_cut, tell
from holdfast.cli.render import ago, clock, counts, facts, print_json, print_sheet, print_table, some
from holdfast.cli.session import with_database
from holdfast.db import queues
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption, NotFound
from holdfast.model.queue import FullPause, QueueDetails, QueueSummary

DURATIONS = dict.fromkeys(
    ("timeout", "max_wait", "rescue_delay", "cancel_grace", "retention"), seconds_or_null
)

COUNTS = ("waiting", "scheduled", "ready", "running")

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="The queue's name.")]
OneName = Annotated[str | None, typer.Argument(metavar="NAME", help="The queue's name; or use --all.")]
All = Annotated[bool, typer.Option("--all", help="All queues, those to come included.")]


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
def list_queues(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """Queues by name, and the jobs in them by state."""
    found, whole = with_database(context, lambda database: _list(database, limit + 1, after))
    shown = found[:limit]
    if as_json:
        print_json({"queues": shown})
        return
    print_table(
        ("name", "state", "waiting", "scheduled", "ready", "running", "most", "rate", "oldest"),
        (_row(queue) for queue in shown),
        keep=("state", "waiting", "scheduled", "ready", "running"),
    )
    say_if_cut(found, shown)
    if whole is not None:
        say(_note(whole))


@app.command("show")
def show_queue(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """One queue with its policy."""
    found = with_database(context, lambda database: _get(database, name))
    if as_json:
        print_json(found)
    else:
        shown = dict(zip(COUNTS, counts(found, COUNTS, found.more_than), strict=True))
        print_sheet({**facts(found), **shown, "more_than": None})


@app.command("set")
def set_queue(
    context: typer.Context,
    name: Name,
    settings: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...", help="Such as timeout=2m retry=chat max_concurrent=4 rate=100/minute."
        ),
    ],
) -> None:
    """Change a queue's policy; a queue that is not there is made. null takes a setting back."""
    policy = read_settings(settings, DURATIONS, "timeout=2m")
    with_database(context, lambda database: queues.declare_queue(database, name, policy))
    tell(f"set: {name} {' '.join(sorted(policy))}")


@app.command("pause")
def pause_queue(
    context: typer.Context, name: OneName = None, all_queues: All = False, reason: Reason = None
) -> None:
    """Let no job of a queue be claimed, or of all, those to come included; what runs goes on."""
    if one := _one(name, all_queues):
        with_database(context, lambda database: queues.pause_queue(database, one, reason, actor()))
    else:
        with_database(context, lambda database: queues.pause_all(database, reason, actor()))
    tell(f"paused: {one or 'all queues'}")
    say(f"hint: {command('queues', 'resume', one or '--all')}")


@app.command("resume")
def resume_queue(
    context: typer.Context, name: OneName = None, all_queues: All = False, reason: Reason = None
) -> None:
    """Let jobs of a queue be claimed again. With --all, queues that were paused one by one stay paused."""
    if one := _one(name, all_queues):
        whole = with_database(context, lambda database: _resume(database, one, reason))
        tell(f"resumed: {one}")
        if whole is not None:
            say(_note(whole))
        return
    rest = with_database(context, lambda database: queues.resume_all(database, reason, actor()))
    tell("resumed: all queues")
    if rest:
        say(f"note: paused one by one, and still so: {some(rest)}; {command('queues', 'resume', 'NAME')}")


def _one(name: str | None, all_queues: bool) -> str | None:
    if (name is None) != all_queues:
        raise InvalidOption("Which queue?", "name one, or say --all, not both")
    return name


async def _resume(database: Database, name: str, reason: str | None) -> FullPause | None:
    await queues.resume_queue(database, name, reason, actor())
    return await queues.full_pause(database)


def _note(pause: FullPause) -> str:
    why = f": {pause.reason}" if pause.reason else ""
    return f"note: all queues are paused since {clock(pause.paused_at)}{why}; holdfast queues resume --all"


async def _list(
    database: Database, limit: int, after: str | None
) -> tuple[list[QueueSummary], FullPause | None]:
    return await queues.list_queues(database, limit, after), await queues.full_pause(database)


async def _get(database: Database, name: str) -> QueueDetails:
    found = await queues.get_queue(database, name)
    if found is None:
        raise NotFound(f"There is no queue {name!r}.", "holdfast queues list shows those there are")
    return found


def _row(queue: QueueSummary) -> tuple[object, ...]:
    return (
        queue.name,
        "paused" if queue.paused_at else "open",
        *counts(queue, COUNTS, queue.more_than),
        queue.max_concurrent,
        queue.rate,
        ago(queue.oldest_ready),
    )
