"""The SQL that this release carries, in the order in which it is installed."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from holdfast.db.sql_header import read_header

SQL = Path(__file__).parent.parent / "sql"

# The first migration, the later ones, and what only tests install.
_NOT_FUNCTIONS = ("schema", "migrations", "testing")
_READ = "read"
_VIEW = re.compile(r"create (?:or replace )?view holdfast\.(\w+)", re.IGNORECASE)
INITIAL = 1
_MIGRATION = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class SqlFile:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return _sha256([self.text])

    @property
    def label(self) -> str:
        return f"{self.version:04}_{self.name}"


@dataclass(frozen=True, slots=True)
class SqlFiles:
    roles: str
    bootstrap: str
    migrations: tuple[Migration, ...]
    functions: tuple[SqlFile, ...]
    grants: str

    @property
    def headers(self) -> str:
        """Comments and plan settings, as the headers of the functions state them."""
        headers = [read_header(file.text) for file in self.functions]
        return "\n".join(statement for header in headers if header for statement in header.statements())

    @property
    def hash(self) -> str:
        """Covers everything that is replaced with each release."""
        return _sha256([*(file.text for file in self.functions), self.headers, self.grants])


@cache
def load_sql_files(directory: Path = SQL) -> SqlFiles:
    return SqlFiles(
        roles=(directory / "roles.sql").read_text("utf-8"),
        bootstrap=(directory / "bootstrap.sql").read_text("utf-8"),
        migrations=(initial_migration(directory), *_later_migrations(directory / "migrations")),
        functions=tuple(_functions(directory)),
        grants=(directory / "grants.sql").read_text("utf-8"),
    )


@cache
def initial_migration(directory: Path = SQL) -> Migration:
    """The tables of the first release, in reading order."""
    tables = sorted((directory / "schema").glob("*.sql"))
    return Migration(INITIAL, "initial", "\n".join(path.read_text("utf-8") for path in tables))


def _later_migrations(directory: Path) -> Iterable[Migration]:
    """Numbered from 0002 without a gap; there is no folder while there is none."""
    for number, path in enumerate(sorted(directory.glob("*.sql")), start=INITIAL + 1):
        found = _MIGRATION.fullmatch(path.name)
        if found is None or int(found[1]) != number:
            raise ValueError(
                f"The file name {path.name} is not valid: the next migration must be named "
                f"{number:04}_what_it_does.sql"
            )
        yield Migration(number, found[2], path.read_text("utf-8"))


def _functions(directory: Path) -> list[SqlFile]:
    """base/ first, the other folders by name, then the views, and last the functions in read/.

    A folder's verbs stand at its top, the functions behind them in its parts/.
    """
    folders = [path for path in directory.iterdir() if path.is_dir() and path.name not in _NOT_FUNCTIONS]
    folders.sort(key=lambda path: (path.name == _READ, path.name != "base", path.name))
    files = [
        SqlFile(path.relative_to(directory).as_posix(), path.read_text("utf-8"))
        for folder in folders
        for path in sorted(folder.rglob("*.sql"))
    ]
    views = [file for file in files if _VIEW.search(file.text)]
    readers = [file for file in files if file.name.startswith(f"{_READ}/") and file not in views]
    first = [file for file in files if file not in views and file not in readers]
    return [*first, *_in_order_of_use(views), *readers]


def _in_order_of_use(views: list[SqlFile]) -> list[SqlFile]:
    """A view comes after those that it reads."""
    ordered: list[SqlFile] = []
    waiting = list(views)
    while waiting:
        free = [file for file in waiting if not any(_reads(file, other) for other in waiting)]
        if not free:
            raise ValueError(f"views read each other in a circle: {', '.join(file.name for file in waiting)}")
        ordered += free
        waiting = [file for file in waiting if file not in free]
    return ordered


def _reads(file: SqlFile, other: SqlFile) -> bool:
    names = _VIEW.findall(other.text)
    return file is not other and any(re.search(rf"\b{name}\b", file.text) for name in names)


def _sha256(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
