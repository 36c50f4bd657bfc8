"""`holdfast enqueue`."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import (
    GivenActor,
    GivenOrigin,
    Json,
    Labels,
    identifier,
    labels,
    moment,
    seconds,
)
from holdfast.cli.frame.common_options import actor as own_name
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.workers.load_app import load_app
from holdfast.client.filters import json_or_text
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.db.queues import task_is_known
from holdfast.model.error import InvalidOption, InvalidPayload, PermissionDenied, UnknownTask
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText, decode, encode, read
from holdfast.model.retry import PRESETS

MOST_JOBS = 100_000


def enqueue(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="The name of the task whose handler runs the job.")],
    payload: Annotated[
        str,
        typer.Argument(
            help="The payload as JSON. Use '-' to read it from stdin, or '@FILE' to read it from a file."
        ),
    ] = "{}",
    queue: Annotated[
        str | None,
        typer.Option(
            help="Add the job to this queue. By default the queue of the task, else the queue 'default'."
        ),
    ] = None,
    priority: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=100,
            help="Jobs with a higher priority run first. By default the priority of the task, else of the "
            "queue, else 50.",
        ),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="Do not start the job before this time has passed, such as 90s or 2h."
        ),
    ] = None,
    run_at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Do not start the job before this time (ISO 8601 with a zone)."),
    ] = None,
    unique_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="If a job with this key exists, add no second job: print the id of the existing job, or "
            "fail if its payload differs.",
        ),
    ] = None,
    unique_for: Annotated[
        str | None,
        typer.Option(
            metavar="SPAN",
            help="How long to block duplicates of the unique key: 'live' until the job ends (the default), "
            "'forever', or a duration such as 1h. A duration ends early if the job becomes dead or is "
            "cancelled.",
        ),
    ] = None,
    unique_scope: Annotated[
        str | None,
        typer.Option(
            help="Compare the unique key only with keys in this scope. The default scope is the task's name, "
            "so two tasks can use the same key."
        ),
    ] = None,
    order_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Jobs with the same order key run one at a time, in the order in which they were stored.",
        ),
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="ID", help="Add the job to the run (a batch of jobs) with this id.")
    ] = None,
    label: Labels = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="DURATION", help="The time limit of each attempt, such as 5m.")
    ] = None,
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="If the job has not ended by this time (ISO 8601 with a zone), it becomes dead.",
        ),
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Only workers started with this --group run the job.")
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(help="The endpoint that the job calls: a service whose limits all workers share."),
    ] = None,
    estimate: Annotated[
        float | None,
        typer.Option(min=0, help="How many units, such as tokens, one attempt will probably use."),
    ] = None,
    max_failures: Annotated[
        int | None, typer.Option(min=1, help="After this many failed attempts, the job becomes dead.")
    ] = None,
    retry: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="The retry policy: the name of a preset, or a policy as JSON. Presets: "
            f"{', '.join(PRESETS)}.",
        ),
    ] = None,
    origin: GivenOrigin = "manual",
    actor: GivenActor = None,
    trace: Annotated[
        str | None,
        typer.Option(metavar="TRACEPARENT", help="The W3C trace context that the job's attempts join."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=MOST_JOBS, help="Add this many identical jobs.")] = 1,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse the job if no worker or app has registered its task.")
    ] = False,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            "-A",
            envvar="HOLDFAST_APP",
            metavar="MODULE:VARIABLE",
            help="Check that the payload fits the task in this app, such as shop.jobs:app.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prints the id of the job once the job is stored."""
    given = wire_options(
        {"queue": queue, "priority": priority, "delay": delay, "run_at": run_at, "timeout": timeout}
        | {"unique_key": unique_key, "unique_for": unique_for, "unique_scope": unique_scope, "run": run}
        | {"order_key": order_key, "labels": label, "deadline": deadline, "group": group}
        | {"endpoint": endpoint, "estimate": estimate, "max_failures": max_failures, "retry": retry}
        | {"origin": origin, "actor": actor or own_name(), "trace": trace}
    )
    text = read_payload(payload)
    if app is not None:
        load_app(app).find_task(task).bind(decode(text))
    stored = with_database(context, lambda database: _store(database, task, [text] * count, given, strict))
    _show(stored, as_json)


def read_payload(source: str) -> JsonText:
    """The payload as JSON that comes back equal; refused with the place that is wrong."""
    try:
        return encode(read(_text_of(source)))
    except json.JSONDecodeError as exc:
        raise InvalidPayload(
            f"The payload is not JSON: {exc.msg} in line {exc.lineno}, column {exc.colno}.",
            'put the payload in single quotes for the shell, such as \'{"name": "Ada"}\', or read it from '
            "a file with @FILE",
        ) from None


def _text_of(source: str) -> str:
    try:
        if source == "-":
            return sys.stdin.buffer.read().decode()
        if source.startswith("@"):
            return Path(source[1:]).read_bytes().decode()
    except OSError as exc:
        raise InvalidOption(
            f"The payload cannot be read from {source[1:]}: {exc.strerror}.", "check the name of the file"
        ) from None
    except UnicodeDecodeError as exc:
        raise InvalidPayload(
            f"The payload is not UTF-8: byte {exc.start} is invalid.", "save the payload as UTF-8"
        ) from None
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
        hint = "check the name of the task, or start a worker whose app defines the task"
        if strict:
            raise UnknownTask(f"No worker or app has registered the task {task!r}.", hint)
        say(f"warning: no worker or app has registered the task {task!r}; the job waits until one does")
    return await jobs.enqueue_jobs(database, [task], payloads, options)


async def _is_known(database: Database, task: str, strict: bool) -> bool:
    """The role of a producer may not look; then only --strict insists."""
    try:
        return await task_is_known(database, task)
    except PermissionDenied:
        if strict:
            raise
        return True


def _show(stored: list[Enqueued], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": [{"id": job.id, "created": job.created} for job in stored]})
        return
    for job in stored:
        write(str(job.id))
    if not all(job.created for job in stored):
        say("note: a job with this unique key exists already; the id above is the id of that job")
