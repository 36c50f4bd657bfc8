"""Tables: a column is a heading and what stands below it. On a narrow screen a row becomes a list."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from holdfast.model.human_readable import some
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.words import NONE, count, moment

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """`kind`: n for figures, grow for what takes the rest. `place` is where it stands in a narrow list: full,
    half, most or drop. `opt` leaves it out of tables that are not wide: opt-0 first of all, then opt-1, …
    """

    heading: Child
    cell: Callable[[T], Child]
    kind: str = ""
    place: str = ""
    opt: str = ""
    label: str | None = None


def table(
    columns: Sequence[Column[T]],
    rows: Iterable[T],
    caption: str,
    mark: Callable[[T], str] = lambda _: "",
    key: Callable[[T], str] | None = None,
) -> Markup:
    """The first column names the row. `mark` is a class of the row. `key` names the row on a live page, where
    rows that came or went wait for the reader.
    """
    heads = [
        element("th", one.heading, scope="col", class_=_classes(one.kind, one.opt) or None) for one in columns
    ]
    body = [_row(columns, row, mark(row), key(row) if key else None) for row in rows]
    return element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *heads)),
        element("tbody", *body, data_rows=caption if key else None),
        class_="table stack",
    )


def capped(number: int, is_cut: bool, sampled: int | None, at: datetime | None) -> Child:
    """A count that may have stopped before the end: the newest sample tells the rest."""
    shown = count(number, is_cut)
    if not is_cut or sampled is None or at is None:
        return shown
    return element("span", shown, title=f"{sampled:,} on {moment(at)}")


def _row(columns: Sequence[Column[T]], row: T, mark: str, key: str | None) -> Markup:
    first, *rest = columns
    name = element("th", first.cell(row), scope="row", class_=_classes("full", first.kind))
    return element("tr", name, *(_cell(column, row) for column in rest), class_=mark or None, data_key=key)


def _cell(column: Column[T], row: T) -> Markup:
    value = column.cell(row)
    is_nothing = value in (0, "0", NONE, "0 %")
    label = column.label or (None if isinstance(column.heading, Markup) else str(column.heading))
    return element(
        "td",
        value,
        class_=_classes(column.kind, column.place, column.opt, "zero" if is_nothing else "") or None,
        data_label=label,
    )


def _classes(*words: str) -> str:
    return " ".join(word for word in words if word)


def name(text: Child, note: Child = None) -> Markup:
    """A name is cut by its place, and whole in its hint."""
    shown = element("span", text, class_="name", title=text)
    return joined(shown, element("span", note, class_="faint small note-line")) if note else shown


def several(names: Sequence[str]) -> Markup:
    """The first of them in two lines, more in the hint."""
    return element("span", some(names), class_="clamp", title=some(names))


def chart_table(headings: Sequence[str], rows: Iterable[Sequence[Child]], caption: str) -> Markup:
    """The figures of a chart, folded away below it."""
    heads = [element("th", one, scope="col", class_="n" if n else None) for n, one in enumerate(headings)]
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", one, class_="n") for one in rest))
        for first, *rest in rows
    ]
    whole = element(
        "table",
        element("caption", caption, class_="hidden"),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        class_="table figures",
    )
    folded = element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return element("details", element("summary", "Show as table"), folded, class_="as-table")
