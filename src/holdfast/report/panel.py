"""The frame of each part of the page: a heading, a note beside it, what it holds, a foot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from holdfast.model.id import JobId
from holdfast.model.report import Part, Problem
from holdfast.report.markup import Child, Markup, element

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Links:
    """Where the dashboard shows a problem and a job; a file has commands instead."""

    problem: Callable[[Problem], str]
    job: Callable[[JobId], str]


def panel(
    key: str, heading: str, *children: Child, note: Child = None, aside: Child = None, foot: Child = None
) -> Markup:
    head = element(
        "header",
        element("h2", heading, id=f"{key}-heading"),
        element("p", note) if note else None,
        aside,
        class_="panel-head",
    )
    return element(
        "section",
        head,
        *children,
        element("p", foot, class_="panel-foot") if foot else None,
        class_="panel",
        id=key,
        aria_labelledby=f"{key}-heading",
    )


def body(*children: Child) -> Markup:
    return element("div", *children, class_="panel-body")


def nothing(words: str, command: str | None = None) -> Markup:
    """What would be here, and the command that fills it."""
    return element(
        "div", element("p", words), element("code", command) if command else None, class_="nothing"
    )


def and_more(part: Part[T], noun: str, command: str) -> Markup | None:
    """The foot of a list that was cut."""
    if not part.more and not part.is_partial:
        return None
    least = "more than " if part.is_partial else ""
    words = f"and {least}{part.more:,} more {noun}" if part.more else f"there may be more {noun}"
    return element("span", f"… {words}: ", element("code", command))


def shape(symbol: str, is_big: bool = False) -> Markup:
    """A symbol of the sprite; the word beside it speaks."""
    return element(
        "svg",
        element("use", href=f"#s-{symbol}"),
        class_="shape big" if is_big else "shape",
        viewbox="0 0 12 12",
        aria_hidden="true",
    )


def state(word: str, symbol: str, look: str, title: str | None = None) -> Markup:
    return element("span", shape(symbol), word, class_=f"state is-{look}", title=title)
