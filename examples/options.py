"""What the runner gives to an example."""

from dataclasses import dataclass
from pathlib import Path

from examples.display import Display


@dataclass(frozen=True, slots=True)
class Options:
    """`plant`: one of the example's FAULTS, to be planted just before the verdict is computed.

    The database is migrated, of this run alone, and named as a test database: the fake clock may be used.
    The directory is removed afterwards; logs go there.
    """

    database_url: str
    directory: Path
    display: Display
    full: bool = False
    plant: str | None = None
