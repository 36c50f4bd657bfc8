"""`holdfast workers`."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import typer

from holdfast.cli.options import Json, Limit, Reason, actor, identifier
from holdfast.cli.output import say, write
from holdfast.cli.render import ago, facts, print_json, print_sheet, print_table
from holdfast.cli.session import with_database
from holdfast.db import continuations, need, reads
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption, NotFound
from holdfast.model.id import WorkerId
from holdfast.model.worker import WorkerSummary
from holdfast.worker.callback import Callback, CallbackFailed, Command, Post

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
def list_workers(context: typer.Context, limit: Limit = 50, as_json: Json = False) -> None:
    """Those that run, and those that stopped or were lost lately."""
    found = with_database(context, lambda database: reads.list_workers(database, limit))
    if as_json:
        print_json({"workers": found})
        return
    print_table(
        ("id", "state", "busy", "done", "failed", "queues", "host", "seen"),
        (_row(worker) for worker in found),
        keep=("id", "state", "busy"),
    )


@app.command("show")
def show_worker(
    context: typer.Context,
    worker: Annotated[str, typer.Argument(metavar="WORKER", help="The worker's id.")],
    as_json: Json = False,
) -> None:
    """One worker: its lease, its counts, its time box and what it tells of itself."""
    found = with_database(context, lambda database: _get(database, WorkerId(identifier(worker, "worker"))))
    if as_json:
        print_json(found)
    else:
        print_sheet(facts(found))


@app.command("drain")
def drain_workers(
    context: typer.Context,
    workers: Annotated[list[str] | None, typer.Argument(metavar="WORKER...", help="Their ids.")] = None,
    group: Annotated[str | None, typer.Option(help="All workers of this group instead.")] = None,
    reason: Reason = None,
) -> None:
    """Ask workers to finish what they run and to leave. They hear it at their next heartbeat."""
    ids = None if not workers else [WorkerId(identifier(text, "worker")) for text in workers]
    asked = with_database(
        context, lambda database: reads.drain_workers(database, ids, group, reason or "", actor())
    )
    for worker in asked:
        write(f"{worker} asked to drain")
    if not asked:
        say("note: there is no such worker at work")


@app.command("recommend")
def recommend_workers(
    context: typer.Context,
    queue: Annotated[str, typer.Argument(help="The queue's name.")],
    target: Annotated[str, typer.Option(help="A job is to start within this time.")] = "30s",
    ahead: Annotated[str, typer.Option(help="How far to look ahead.")] = "10m",
    slots: Annotated[int | None, typer.Option(min=1, help="Of each worker; else as those at work.")] = None,
    as_json: Json = False,
) -> None:
    """How many workers a queue needs, by its rate, the days before, and the time that its jobs take."""
    found = with_database(
        context,
        lambda database: need.recommended_workers(
            database, queue, parse_duration(target), parse_duration(ahead), slots
        ),
    )
    if as_json:
        print_json(found)
    else:
        print_sheet(facts(found))


@app.command("continue")
def continue_workers(
    context: typer.Context,
    post: Annotated[str | None, typer.Option(metavar="URL", help="POST here for each.")] = None,
    command: Annotated[str | None, typer.Option(metavar="COMMAND", help="Run this for each.")] = None,
    patience: Annotated[str, typer.Option(help="How long one that was sent for may take to come.")] = "30s",
) -> None:
    """Send again for workers that never came: for a timer, where the last worker may be the one that died."""
    callback, after = _callback(post, command), parse_duration(patience)
    sent = with_database(context, lambda database: _send_again(database, callback, after))
    write(f"sent for {sent} workers")


async def _send_again(database: Database, callback: Callback, patience: timedelta) -> int:
    """All of a batch are tried; a failure is told when none is left that was marked as sent."""
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
        raise InvalidOption("What starts a worker?", "give --post URL or --command COMMAND")
    return Command.parse(command) if command is not None else Post(post or "")


async def _get(database: Database, worker: WorkerId) -> WorkerSummary:
    found = await reads.get_worker(database, worker)
    if found is None:
        raise NotFound(f"There is no worker {worker}.", "holdfast workers list shows those there are")
    return found


def _row(worker: WorkerSummary) -> tuple[object, ...]:
    return (
        str(worker.id),
        worker.state,
        f"{worker.running}/{worker.slots}",
        worker.processed,
        worker.failed,
        ",".join(worker.queues),
        f"{worker.host or '?'}:{worker.pid or '?'}",
        ago(worker.renewed_at),
    )
