"""`holdfast enqueue`."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.options import Json, Labels, identifier, json_or_text, labels, moment, seconds
from holdfast.cli.output import say, write
from holdfast.cli.render import print_json
from holdfast.cli.session import with_database
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.db.reads import task_is_known
from holdfast.model.error import InvalidOption, InvalidPayload, PermissionDenied, UnknownTask
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText, encode, read

MOST_JOBS = 100_000


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(enqueue)


def enqueue(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="The name that picks the handler.")],
    payload: Annotated[str, typer.Argument(help="JSON; - reads it from stdin, @FILE from a file.")] = "{}",
    queue: Annotated[str | None, typer.Option(help="Else the task's, else default.")] = None,
    priority: Annotated[int | None, typer.Option(min=0, max=100, help="Higher goes first.")] = None,
    delay: Annotated[str | None, typer.Option(help="Not before this long, such as 90s or 2h.")] = None,
    run_at: Annotated[str | None, typer.Option(help="Not before this time, ISO 8601 with a zone.")] = None,
    unique_key: Annotated[str | None, typer.Option(help="The same key gives the same job.")] = None,
    unique_for: Annotated[str | None, typer.Option(help="live (default), forever, or a duration.")] = None,
    unique_scope: Annotated[str | None, typer.Option(help="Where the key is unique; else the task.")] = None,
    order_key: Annotated[str | None, typer.Option(help="Jobs of one key run one at a time.")] = None,
    run: Annotated[str | None, typer.Option(help="The run it belongs to.")] = None,
    label: Labels = None,
    timeout: Annotated[str | None, typer.Option(help="How long one attempt may run.")] = None,
    deadline: Annotated[str | None, typer.Option(help="Not worth doing after this time.")] = None,
    group: Annotated[str | None, typer.Option(help="Only workers of this group claim it.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="The downstream service that it calls.")] = None,
    estimate: Annotated[float | None, typer.Option(min=0, help="Units that a call is likely to use.")] = None,
    max_failures: Annotated[int | None, typer.Option(min=1, help="Failures that make it dead.")] = None,
    retry: Annotated[str | None, typer.Option(help="A preset's name, or a policy as JSON.")] = None,
    count: Annotated[int, typer.Option(min=1, max=MOST_JOBS, help="Store this many alike.")] = 1,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a task that nobody knows.")] = False,
    as_json: Json = False,
) -> None:
    """Prints the job's id once it is stored."""
    given = wire_options(
        {"queue": queue, "priority": priority, "delay": delay, "run_at": run_at, "timeout": timeout}
        | {"unique_key": unique_key, "unique_for": unique_for, "unique_scope": unique_scope, "run": run}
        | {"order_key": order_key, "labels": label, "deadline": deadline, "group": group}
        | {"endpoint": endpoint, "estimate": estimate, "max_failures": max_failures, "retry": retry}
    )
    text = read_payload(payload)
    stored = with_database(context, lambda database: _store(database, task, [text] * count, given, strict))
    _show(stored, as_json)


def read_payload(source: str) -> JsonText:
    """The payload as JSON that comes back equal; refused with the place that is wrong."""
    try:
        return encode(read(_text_of(source)))
    except json.JSONDecodeError as exc:
        raise InvalidPayload(
            f"The payload is not JSON: {exc.msg} in line {exc.lineno}, column {exc.colno}.",
            'quote it for the shell, such as \'{"name": "Ada"}\', or read it from a file with @FILE',
        ) from None


def _text_of(source: str) -> str:
    try:
        if source == "-":
            return sys.stdin.buffer.read().decode()
        if source.startswith("@"):
            return Path(source[1:]).read_bytes().decode()
    except OSError as exc:
        raise InvalidOption(
            f"The payload cannot be read: {exc.strerror}: {source[1:]}.", "check the file's name"
        ) from None
    except UnicodeDecodeError as exc:
        raise InvalidPayload(f"The payload is not UTF-8: byte {exc.start}.", "save it as UTF-8") from None
    return source


def wire_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, as the SQL verb takes it; the rest is left out."""
    read: dict[str, Callable[[Any], Any]] = {
        "delay": seconds,
        "timeout": seconds,
        "run_at": lambda value: moment(value, "--run-at"),
        "deadline": lambda value: moment(value, "--deadline"),
        "unique_for": _unique_for,
        "run": lambda value: str(identifier(value, "run")),
        "labels": labels,
        "retry": json_or_text,
    }
    return {name: read.get(name, _as_it_is)(value) for name, value in given.items() if value is not None}


def _as_it_is(value: Any) -> Any:
    return value


def _unique_for(value: str) -> str:
    return value if value in ("live", "forever") else f"{seconds(value)} seconds"


async def _store(
    database: Database, task: str, payloads: list[JsonText], options: dict[str, Any], strict: bool
) -> list[Enqueued]:
    if not await _is_known(database, task, strict):
        hint = "start a worker whose app defines it, or check the name"
        if strict:
            raise UnknownTask(f"No worker and no app has told of a task {task!r}.", hint)
        say(f"warning: no worker and no app has told of a task {task!r}; the job will wait until one does")
    return await jobs.enqueue_jobs(database, [task], payloads, options)


async def _is_known(database: Database, task: str, strict: bool) -> bool:
    """A mere producer may not look; then only --strict insists."""
    try:
        return await task_is_known(database, task)
    except PermissionDenied:
        if strict:
            raise
        return True


def _show(stored: list[Enqueued], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": stored})
        return
    for job in stored:
        write(str(job.id))
    if not all(job.created for job in stored):
        say("note: the unique key belongs to a job that exists already; that is its id")
