"""For `./dev lint`: a line of SQL has at most 120 characters."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import repository_files

WIDTH = 120


def files() -> list[Path]:
    """All SQL of the repository, that of the examples and of the bench too."""
    return [path for path in repository_files() if path.suffix == ".sql"]


def too_wide(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if len(line) > WIDTH:
            yield f"{path}:{number}: {len(line)} characters, at most {WIDTH}: one clause a line"


def main() -> None:
    found = [line for path in files() for line in too_wide(path)]
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
