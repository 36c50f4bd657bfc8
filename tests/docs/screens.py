"""Screens for the documentation: what the command prints, with ids, times and ages that do not change."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from unittest.mock import patch

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from tests.cli.command import holdfast

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:Z|(?:\.\d+)?[+-]\d\d(?::\d\d)?)")
HEARTBEAT = re.compile(r"last heartbeat \d+ \w+ ago; if it stays silent, its jobs are taken over in \d+ \w+")

HEADING = re.compile(r"^[A-Z/% ]+$", re.MULTILINE)
# rich's own template loads a font from the web.
SVG = """<svg viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg">
<style>
  .{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, monospace }}
  .{unique_id}-title {{ font: bold 18px system-ui, sans-serif }}
  {styles}
</style>
<defs>
{lines}
</defs>
{chrome}
<g class="{unique_id}-matrix" transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
{matrix}
</g>
</svg>
"""


class Screens:
    """Runs commands on one database and keeps what they print; the same id stays the same."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._ids: dict[str, str] = {}
        self.shown: dict[str, str] = {}

    def show(self, name: str, *words: str, columns: str = "80") -> None:
        answer = holdfast(*words, url=self._url, COLUMNS=columns)
        assert answer.code == 0, answer.err
        typed = " ".join(f'"{word}"' if " " in word else word for word in words)
        self.shown[name] = self._settled(f"$ holdfast {typed}\n{answer.out}{answer.err}")

    def _settled(self, text: str) -> str:
        text = ID.sub(lambda found: self._ids.setdefault(found[0], _id(len(self._ids))), text)
        text = HEARTBEAT.sub(
            "last heartbeat 7 s ago; if it stays silent, its jobs are taken over in 23 s", text
        )
        return MOMENT.sub("2030-01-31 09:00:00Z", text)


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything happened three minutes ago, and Ada types."""
    with (
        patch("holdfast.cli.frame.render._age", lambda _: "3 min"),
        patch("getpass.getuser", lambda: "ada"),
        patch("socket.gethostname", lambda: "desk"),
    ):
        yield


def _id(number: int) -> str:
    return f"0192f3a4-5b6c-7d8e-9f00-{number:012}"


def picture(screen: str) -> str:
    """A terminal with this screen, as SVG."""
    command, text = screen.split("\n", 1)
    shown = Text(text)
    shown.highlight_regex(HEADING, "bold")
    console = Console(record=True, width=80, file=StringIO(), color_system="truecolor", force_terminal=True)
    console.print(shown)
    title = command.removeprefix("$ ")
    return console.export_svg(title=title, theme=SVG_EXPORT_THEME, code_format=SVG, unique_id="top")
