"""The files of the repository: all that is, or could be, committed. Needs no git, only .gitignore."""

from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SQL = ROOT / "src" / "holdfast" / "sql"
TABLES = {"schema", "migrations"}


@cache
def repository_files() -> tuple[Path, ...]:
    patterns = ignore_patterns()
    return tuple(sorted(_walk(ROOT, patterns)))


def python_files() -> list[Path]:
    return [path for path in repository_files() if path.suffix == ".py"]


def sql_files() -> list[Path]:
    return [path for path in repository_files() if path.suffix == ".sql" and path.is_relative_to(SQL)]


def sql_function_files() -> list[Path]:
    """In folders. The schema and the migrations hold tables, which have no natural size and no arrow."""
    return [
        path for path in sql_files() if path.parent != SQL and path.relative_to(SQL).parts[0] not in TABLES
    ]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def ignore_patterns() -> tuple[str, ...]:
    lines = (ROOT / ".gitignore").read_text().splitlines()
    return (".git", *(line.strip() for line in lines if line.strip() and not line.startswith("#")))


def is_ignored(path: Path, patterns: tuple[str, ...]) -> bool:
    """A pattern with an inner or leading slash is a path from the root, any other one a name at any depth."""
    for pattern in patterns:
        bare = pattern.rstrip("/")
        subject = name_of(path) if "/" in bare else path.name
        if fnmatch(subject, bare.removeprefix("/")):
            return True
    return False


def _walk(directory: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for path in directory.iterdir():
        if is_ignored(path, patterns):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path, patterns)
        elif path.is_file():
            yield path
