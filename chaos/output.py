"""Results go to stdout, progress to stderr."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def write(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()


def table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    cells = [[title.upper() for title in titles], *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
