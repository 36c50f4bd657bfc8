"""Options that several commands share, and how their values are read."""

import getpass
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import typer

from holdfast.client.filters import json_or_text, read_labels
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId, RunId

Json = Annotated[bool, typer.Option("--json", envvar="HOLDFAST_JSON", help="Print one JSON document.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing; only print what would be done.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Reason = Annotated[str | None, typer.Option(metavar="TEXT", help="Record this reason in the audit trail.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Show at most this many rows.")]
After = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only names after this one in alphabetical order. For the next page, pass the last name shown.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label", metavar="NAME=VALUE", help="Add a label, such as team=search. You can repeat this option."
    ),
]
OneJob = Annotated[
    str, typer.Argument(metavar="JOB", help="The id of the job, or the last 12 characters of the id.")
]
OneRun = Annotated[
    str, typer.Argument(metavar="RUN", help="The id of the run, or the last 12 characters of the id.")
]
QueueName = Annotated[str, typer.Argument(metavar="NAME", help="The queue's name.")]
EndpointName = Annotated[str, typer.Argument(metavar="NAME", help="The endpoint's name.")]
PipelineName = Annotated[str, typer.Argument(metavar="NAME", help="The pipeline's name.")]
WaitTimeout = Annotated[
    str | None,
    typer.Option("--timeout", metavar="DURATION", help="Stop waiting after this long, such as 30s."),
]

SHORT_ID = re.compile("[0-9a-f]{12}")


def duration(value: str | None) -> timedelta | None:
    return None if value is None else parse_duration(value)


def seconds(value: str | None) -> float | None:
    return None if value is None else parse_duration(value).total_seconds()


def moment(value: str | None, option: str) -> str | None:
    """A time as SQL takes it; one without a zone would depend on the reader's zone."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise InvalidOption(
            f"{option} must be a time with a time zone (got {value!r}).",
            "write it as 2030-01-31T09:00:00Z or 2030-01-31T09:00:00+01:00",
        )
    return parsed.isoformat()


def identifier(value: str, what: str = "job") -> UUID:
    if SHORT_ID.fullmatch(value):
        from holdfast.cli.frame.session import full_id

        return full_id(value, what)
    try:
        return UUID(value)
    except ValueError:
        raise InvalidOption(
            f"The id of a {what} must be a UUID or its last 12 characters (got {value!r}).",
            f"'holdfast {what}s list' shows the ids",
        ) from None


def labels(pairs: list[str] | None) -> dict[str, Any] | None:
    return read_labels(pairs) if pairs else None


def read_settings(
    pairs: Iterable[str], durations: Mapping[str, Callable[[str], Any]], example: str
) -> dict[str, Any]:
    """KEY=VALUE as SQL takes it; with each duration's key comes what reads it."""
    found = [
        read_pair(pair, f"A setting must be KEY=VALUE (got {pair!r}).", f"write it as {example}")
        for pair in pairs
    ]
    return {key: durations.get(key, json_or_text)(value) for key, value in found}


def seconds_or_null(value: str) -> float | None:
    return None if value == "null" else seconds(value)


def read_pair(text: str, message: str, hint: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name:
        raise InvalidOption(message, hint)
    return name, value


GivenOrigin = Annotated[
    str,
    typer.Option(
        "--origin",
        help="What caused the work: manual, automatic, scheduled, trigger, import, or any text of your own.",
    ),
]
GivenActor = Annotated[
    str | None,
    typer.Option(
        "--actor",
        metavar="NAME",
        help="The person or service that the work is for. Not verified; stored beside the database login.",
        show_default="user@host",
    ),
]


def actor() -> str:
    """The user and host, for the audit trail."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"  # a container's user may have no name
    return f"{user}@{socket.gethostname()}"


def read_job_id(value: str) -> JobId:
    return JobId(identifier(value))


def read_run_id(value: str) -> RunId:
    return RunId(identifier(value, "run"))
