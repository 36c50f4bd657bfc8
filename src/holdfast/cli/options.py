"""Options that several commands share, and how their values are read."""

import getpass
import json
import socket
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import typer

from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption

Json = Annotated[bool, typer.Option("--json", envvar="HOLDFAST_JSON", help="Print one JSON document.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Reason = Annotated[str | None, typer.Option(help="Why; kept in the audit trail.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many to show.")]
After = Annotated[str | None, typer.Option(metavar="NAME", help="Go on after this one.")]
Labels = Annotated[list[str] | None, typer.Option("--label", metavar="NAME=VALUE", help="May be repeated.")]
WaitTimeout = Annotated[str | None, typer.Option("--timeout", help="Give up after this long, such as 30s.")]


def duration(value: str | None) -> timedelta | None:
    return None if value is None else parse_duration(value)


def seconds(value: str | None) -> float | None:
    return None if value is None else parse_duration(value).total_seconds()


def moment(value: str | None, option: str) -> str | None:
    """A time as SQL takes it; one without a zone would depend on whoever reads it."""
    if value is None:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise InvalidOption(
            f"{option} {value!r} is not a time with a zone.",
            "write it as 2030-01-31T09:00:00Z or 2030-01-31T09:00:00+01:00",
        )
    return parsed.isoformat()


def identifier(value: str, what: str = "job") -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise InvalidOption(
            f"{value!r} is not the id of a {what}.",
            f"holdfast {what}s list shows the ids",
        ) from None


def labels(pairs: list[str] | None) -> dict[str, Any] | None:
    if not pairs:
        return None
    return {name: json_or_text(value) for name, value in map(_label, pairs)}


def read_settings(
    pairs: Iterable[str], durations: Mapping[str, Callable[[str], Any]], example: str
) -> dict[str, Any]:
    """KEY=VALUE as SQL takes it; with each duration's key comes what reads it."""
    found = [_pair(pair, f"{pair!r} is not KEY=VALUE.", f"write it as {example}") for pair in pairs]
    return {key: durations.get(key, json_or_text)(value) for key, value in found}


def seconds_or_null(value: str) -> float | None:
    return None if value == "null" else seconds(value)


def json_or_text(value: str) -> Any:
    """`5` is a number and `true` a truth value; what is not JSON is text."""
    try:
        return json.loads(value)
    except ValueError:
        return value


def _label(text: str) -> tuple[str, str]:
    return _pair(text, f"The label {text!r} is not NAME=VALUE.", "write it as --label team=search")


def _pair(text: str, message: str, hint: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found or not name:
        raise InvalidOption(message, hint)
    return name, value


def actor() -> str:
    """Whoever calls, for the audit trail."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"  # a container's user may have no name
    return f"{user}@{socket.gethostname()}"
