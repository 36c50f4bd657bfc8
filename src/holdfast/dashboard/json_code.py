"""JSON as numbered lines of code, and as text to edit or copy: nothing in it steers or hides other text."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

from holdfast.model.masking import Masked, Masking
from holdfast.report.markup import Markup, element, joined

MOST_LINES = 300
LONGEST = 2000  # characters of one string
MOST_AS_TEXT = 64 * 1024  # characters that a page carries to be edited or copied


@dataclass(frozen=True, slots=True)
class JsonCode:
    """`is_cut`: some of it is not shown; `size` is that of the whole, in bytes; `masked`: hidden values."""

    lines: list[Markup]
    is_cut: bool
    size: int
    masked: int


def json_code(value: Any, masking: Masking, most: int = MOST_LINES) -> JsonCode:
    found = _Lines()
    lines = list(islice(found.of(masking.masked(value), "", Markup(""), ""), most + 1))
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    return JsonCode(lines[:most], len(lines) > most or found.has_cut, size, found.masked)


def json_text(value: Any, indent: int | None = None) -> str:
    """The same value, with characters that cannot be seen as escapes of JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if text.isprintable() else "".join(map(_visible, text))


def text_block(text: str) -> Markup:
    """Text of several lines, as it is."""
    return Markup(escape(text, quote=True))


def _visible(one: str) -> str:
    if one == "\n" or one.isprintable():
        return one
    return json.dumps(one)[1:-1]


class _Lines:
    def __init__(self) -> None:
        self.has_cut = False
        self.masked = 0

    def of(self, value: Any, indent: str, name: Markup, comma: str) -> Iterator[Markup]:
        """`name` is what stands before the value, `comma` what follows it."""
        if isinstance(value, dict) and value:
            members = [(joined(self._text("k", json_text(key)), ": "), one) for key, one in value.items()]
            yield from self._nested("{}", members, indent, name, comma)
        elif isinstance(value, list) and value:
            yield from self._nested("[]", [(Markup(""), one) for one in value], indent, name, comma)
        else:
            yield _line(indent, name, self._scalar(value), comma)

    def _nested(
        self, brackets: str, members: list[tuple[Markup, Any]], indent: str, name: Markup, comma: str
    ) -> Iterator[Markup]:
        yield _line(indent, name, brackets[0])
        for place, (key, value) in enumerate(members, 1):
            yield from self.of(value, indent + "  ", key, "," if place < len(members) else "")
        yield _line(indent, brackets[1], comma)

    def _scalar(self, value: Any) -> Markup:
        if isinstance(value, Masked):
            self.masked += 1
            return element("span", value, class_="masked")
        return self._text("s" if isinstance(value, str) else "d", json_text(value))

    def _text(self, kind: str, text: str) -> Markup:
        if len(text) <= LONGEST:
            return element("span", text, class_=kind)
        self.has_cut = True
        more = element("span", f" … {len(text) - LONGEST:,} more characters", class_="c")
        return joined(element("span", text[:LONGEST], class_=kind), more)


def _line(*parts: str) -> Markup:
    return element("span", *parts, class_="ln")
