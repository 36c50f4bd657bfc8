"""How things look: JSON documents with stable keys, tables and sheets for people."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.cli.frame.output import say, write
from holdfast.model.attempt import Attempt
from holdfast.model.dead_letter import DeadLetter, LetterGroup
from holdfast.model.duration import exact, short
from holdfast.model.human_readable import time_words
from holdfast.model.job import Job
from holdfast.model.json_document import json_text, plain
from holdfast.model.printable import printable
from holdfast.model.stats import ErrorGroup

T = TypeVar("T")
# The headings of a table, and what stands below each of them.
Columns: TypeAlias = Mapping[str, Callable[[T], object]]

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
GAP = 2
NARROWEST = 6
READABLE = 12  # a name cut to this is still a name
SENTENCE = 30
SHORT_ID = 12  # the last group of a UUID, which is random; the commands take it for the whole


def print_json(value: Any) -> None:
    """One document. Times are ISO 8601 in UTC, durations are seconds, ids are text."""
    write(json_text(value, indent=2))


def print_list(
    as_json: bool,
    name: str,
    found: Sequence[T],
    columns: Columns[T],
    keep: Sequence[str],
    limit: int | None = None,
) -> None:
    """JSON under this name, or a table. With a limit, the caller reads one item more than is shown."""
    shown = found[:limit]
    if as_json:
        print_json({name: shown})
        return
    print_table([*columns], ([cell(one) for cell in columns.values()] for one in shown), keep)
    if len(found) > len(shown):
        say(f"note: there are more than {len(shown)}; --limit shows more, --after the next page")


def print_one(as_json: bool, found: Any, **shown: Any) -> None:
    """JSON, or a sheet of its fields, in which `shown` replaces some."""
    if as_json:
        print_json(found)
    else:
        print_sheet({**facts(found), **shown})


def facts(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, for a sheet."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], keep: Sequence[str] = ("id",)) -> None:
    _print(*table_lines(columns, rows, keep, _width()))


def table_lines(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], keep: Sequence[str], width: int
) -> list[Text]:
    """Columns in `keep` are never cut. If the terminal is narrow, ids are shortened, then names are cut, and
    last of all the last column, which is where the error stands.
    """
    heading = [Text(column.upper(), style="bold") for column in columns]
    room = width - GAP * (len(columns) - 1)
    found = [list(row) for row in rows]
    cells = [heading, *([_cell(value) for value in row] for row in found)]
    if sum(_widths(cells)) > room:
        cells = [heading, *([_cell(_shortened(value)) for value in row] for row in found)]
    widths = _widths(cells)
    flexible = [i for i, column in enumerate(columns) if column not in keep]
    _shrink(widths, [i for i in flexible if i != len(columns) - 1], room, READABLE)
    _shrink(widths, flexible[-1:], room, SENTENCE)
    _shrink(widths, flexible, room, NARROWEST)
    lines = []
    for row in cells:
        for text, room in zip(row, widths, strict=True):
            text.truncate(room, overflow="ellipsis", pad=True)
        lines.append(Text(" " * GAP).join(row))
    return lines


def _widths(cells: list[list[Text]]) -> list[int]:
    return [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]


def _shortened(value: Any) -> Any:
    return str(value)[-SHORT_ID:] if isinstance(value, UUID) else value


def _shrink(widths: list[int], flexible: list[int], room: int, narrowest: int) -> None:
    """Take from the widest column that may be cut, until all fit or none can give more."""
    while sum(widths) > room:
        widest = max(flexible, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= narrowest:
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
    """Fields of a thing. A queue's newest sample tells the rest of a count that was cut off."""
    at: datetime | None = getattr(of, "sampled_at", None)
    return tuple(
        count(getattr(of, name), name in more_than, getattr(of, f"sampled_{name}", None), at)
        for name in names
    )


def count(number: int, is_cut: bool, sampled: int | None = None, at: datetime | None = None) -> str:
    """>10,000 (84,312 58 s ago): there are more than were counted, and so many were there at the sample."""
    if not is_cut:
        return f"{number:,}"
    exact_then = "" if sampled is None or at is None else f" ({sampled:,} {ago(at)} ago)"
    return f">{number:,}{exact_then}"


def error_words(of: Attempt | DeadLetter | ErrorGroup | LetterGroup) -> str:
    return ": ".join(part for part in (of.error_type, of.message) if part)


def number(value: float | None) -> str:
    """With three digits, or all that stand before the point: 0.07, 61.5, 1,200."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def clock(moment: datetime | None) -> str:
    return "" if moment is None else time_words(moment)


def percent(part: float | None) -> str:
    return "" if part is None else f"{100 * part:.3g}%"


def roughly(length: timedelta | None) -> str:
    """With two digits, which is all that a percentile is worth."""
    return "" if length is None else short(length)


def _age(length: timedelta) -> str:
    return short(timedelta(seconds=round(length.total_seconds())))


def _cell(value: Any) -> Text:
    text = _text(value)
    return Text(printable(text), style=COLOURS.get(text, ""))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        distance = ago(value)
        return f"{clock(value)} ({distance if distance.startswith('in ') else f'{distance} ago'})"
    if isinstance(value, timedelta):
        return exact(value)
    if isinstance(value, str | UUID):
        return str(value)
    if isinstance(value, float):
        return number(value)
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
