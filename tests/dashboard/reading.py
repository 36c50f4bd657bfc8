"""What a reader sees of a page: its words, its tables and its links."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from holdfast.client.app import Holdfast

VOID = {"meta", "br", "hr", "link", "img", "input", "use", "path", "rect", "line", "circle"}


class Seen(HTMLParser):
    """`tables` are the texts of the cells by row, `links` the addresses of links with their texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.words = ""
        self.tables: list[list[list[str]]] = []
        self.links: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag == "a":
            self.links.append(("", dict(attrs).get("href") or ""))

    def handle_endtag(self, tag: str) -> None:
        while tag not in VOID and self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "title" in self._open and "svg" not in self._open:
            self.title += data
        elif "script" not in self._open:
            self.words += data + " "
        if "td" in self._open or "th" in self._open:
            self.tables[-1][-1][-1] += data
        if "a" in self._open:
            text, address = self.links[-1]
            self.links[-1] = (f"{text}{data}".strip(), address)

    def row(self, name: str, heading: str) -> dict[str, str]:
        """By the headings of a table that has this one: the row whose first cell begins with this name."""
        (table,) = [one for one in self.tables if heading in map(str.strip, one[0])]
        row = next(row for row in table[1:] if row[0].strip().startswith(name))
        return {head.strip(): " ".join(cell.split()) for head, cell in zip(table[0], row, strict=True)}

    def addresses(self) -> Iterator[str]:
        return (address for _, address in self.links)


def seen(html: str) -> Seen:
    return Seen(html)


def main_of(html: str) -> str:
    """The content, without the frame around it."""
    found = re.search(r'<main class="page" id="main">(.*)</main>', html, re.DOTALL)
    assert found is not None
    return found[1]


async def key(app: Holdfast, role: str, queues: list[str] | None = None) -> dict[str, str]:
    """Headers of a caller with a new access key."""
    name = "-".join([role, *(queues or ())])
    made = await app.keys.create(name, role, queues=queues)
    return {"Authorization": f"Bearer {made.secret}"}
