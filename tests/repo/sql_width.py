"""For `./dev lint`: a line of SQL has at most 120 characters."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import sql_files

WIDTH = 120


def too_wide(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if len(line) > WIDTH:
            yield f"{path}:{number}: {len(line)} characters, at most {WIDTH}: one clause a line"


def main() -> None:
    found = [line for path in sql_files() for line in too_wide(path)]
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
