"""Checks a page as a strict reader would: balanced, ids that are unique and exist, nothing from elsewhere."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "link", "img", "input"}
FORBIDDEN = {"script", "link", "iframe", "object", "embed", "img", "form", "base", "foreignobject"}
LEADING = {"href", "src", "srcset", "action", "data", "poster", "xlink:href", "background"}


class PageCheck(HTMLParser):
    """`problems` says what is wrong; `words` is all that a reader sees."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.words = ""
        self.ids: list[str] = []
        self.named: list[str] = []
        self.charts = 0
        self.tables = 0
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.problems += [f"<{kind}> is never closed" for kind in self._open]
        self.problems += [f"the id {one} is used twice" for one in {*self.ids} if self.ids.count(one) > 1]
        self.problems += [f"there is no {one}" for one in self.named if one not in self.ids]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in FORBIDDEN:
            self.problems.append(f"<{tag}> has no place here")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.problems.append(f"<{tag} {name}>")
            if name in LEADING and not (value or "").startswith("#"):
                self.problems.append(f"<{tag} {name}={value!r}> leads elsewhere")
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.named += (given.get("aria-labelledby") or "").split()
        self.named += [value[1:] for name, value in attrs if name == "href" and value]
        self.charts += tag == "svg" and given.get("role") == "img"
        self.tables += tag == "table"
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self._open[-1:] or 'nothing'}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            self.problems += [f"styles with {one}" for one in re.findall(r"url\(|@import|expression\(", data)]
        else:
            self.words += data


def check(page: str) -> PageCheck:
    """The page, if nothing is wrong with it."""
    found = PageCheck(page)
    assert found.problems == []
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert "://" not in page, "an address of another place"
    return found
