"""How things look: JSON documents with stable keys, tables and sheets for people."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.cli.output import printable, write
from holdfast.model.duration import short
from holdfast.model.job import Job

COLOURS = {
    "running": "cyan",
    "ready": "blue",
    "completed": "green",
    "ended": "green",
    "ok": "green",
    "working": "green",
    "dead": "red",
    "lost": "red",
    "wrong": "red",
    "rejected": "yellow",
    "cancelled": "yellow",
    "paused": "yellow",
    "draining": "yellow",
    "note": "yellow",
}
ENDLESS = 100_000
_STEERING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
GAP = 2
NARROWEST = 6
NAMED = 10
UNITS = (("d", 86_400), ("h", 3_600), ("m", 60))


def print_json(value: Any) -> None:
    """One document. Times are ISO 8601 in UTC, durations are seconds, ids are text."""
    write(json_text(plain(value), indent=2))


def json_text(value: Any, indent: int | None = None) -> str:
    """Readable, but for characters that would steer a terminal, of which JSON escapes only the oldest."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(value: Any) -> Any:
    """`value` as JSON can carry it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, UUID) else value


def facts(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, for a sheet."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], keep: Sequence[str] = ("id",)) -> None:
    _print(*table_lines(columns, rows, keep, _width()))


def table_lines(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], keep: Sequence[str], width: int
) -> list[Text]:
    """Columns in `keep` are never cut; the others give way if the terminal is narrow."""
    cells = [
        [Text(column.upper(), style="bold") for column in columns],
        *([_cell(v) for v in row] for row in rows),
    ]
    widths = [max(row[i].cell_len for row in cells) for i in range(len(columns))]
    flexible = [i for i, column in enumerate(columns) if column not in keep]
    _shrink(widths, flexible, width - GAP * (len(columns) - 1))
    lines = []
    for row in cells:
        for text, room in zip(row, widths, strict=True):
            text.truncate(room, overflow="ellipsis", pad=True)
        lines.append(Text(" " * GAP).join(row))
    return lines


def _shrink(widths: list[int], flexible: list[int], room: int) -> None:
    """Take from the widest column that may be cut, until all fit or none can give more."""
    while sum(widths) > room:
        widest = max(flexible, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= NARROWEST:
            return
        widths[widest] -= 1


def print_sheet(facts: Mapping[str, Any]) -> None:
    """One thing, a line per fact; what is empty is left out."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if value not in (None, "", [], {}):
            table.add_row(name.replace("_", " "), _cell(value))
    _print(table)


def print_wrapped(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table of few rows whose last column is a sentence, which is wrapped and never cut."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column.upper(), no_wrap=column != columns[-1])
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    _print(table)


def ago(moment: datetime | None, now: datetime | None = None) -> str:
    """How long ago; informational, so this machine's clock will do."""
    if moment is None:
        return ""
    passed = (now or datetime.now(UTC)) - moment
    return f"in {_age(-passed)}" if passed < timedelta(0) else _age(passed)


def done(job: Job) -> str:
    """What the job's handler has reported of its progress."""
    return "" if job.progress is None else str(job.progress)


def counts(of: object, names: Sequence[str], more_than: Sequence[str]) -> tuple[str, ...]:
    """Fields of a thing; of a count that was cut off it is only known that there are more."""
    return tuple(f">{getattr(of, name)}" if name in more_than else str(getattr(of, name)) for name in names)


def some(names: Sequence[str], is_cut: bool = False) -> str:
    """The first ten, and how many more there are."""
    rest = len(names) - NAMED
    more = f" and {'more than ' if is_cut else ''}{rest} more" if rest > 0 else ""
    return ", ".join(names[:NAMED]) + more


def clock(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"


def percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.4g}%"


def roughly(length: timedelta | None) -> str:
    """With two digits, which is all that a percentile is worth: 8ms, 1.2s, 3m."""
    return "" if length is None else short(length)


def span(length: timedelta) -> str:
    """Exactly, as options take it: 30d, 90s, 1.5s."""
    seconds = length.total_seconds()
    for unit, size in UNITS:
        if seconds and seconds % size == 0:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds:g}s"


def _age(length: timedelta) -> str:
    return short(timedelta(seconds=round(length.total_seconds())))


def _cell(value: Any) -> Text:
    text = _text(value)
    return Text(printable(text), style=COLOURS.get(text, ""))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{clock(value)} ({ago(value)})"
    if isinstance(value, timedelta):
        return span(value)
    if isinstance(value, str | UUID):
        return str(value)
    return json.dumps(plain(value), ensure_ascii=False)


def _print(*things: Table | Text) -> None:
    """Through `write`, so that a reader who went away is met in one place."""
    console = Console(highlight=False, width=_width())
    with console.capture() as captured:
        for thing in things:
            console.print(thing, soft_wrap=isinstance(thing, Text))
    for line in captured.get().splitlines():
        write(line.rstrip())


def _width() -> int:
    """What the terminal has; a pipe has no width, so nothing is cut there."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size().columns
    return ENDLESS
