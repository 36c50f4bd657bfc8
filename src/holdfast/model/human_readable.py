"""Numbers, names and times as people read them: "1 worker", "1,200 jobs", "a, b and 3 more"."""

from collections.abc import Sequence
from datetime import UTC, datetime

NAMED = 10


def counted(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def some(names: Sequence[str], is_cut: bool = False) -> str:
    """The first ten, and how many more there are."""
    rest = len(names) - NAMED
    more = f" and {'more than ' if is_cut else ''}{rest:,} more" if rest > 0 else ""
    return ", ".join(names[:NAMED]) + more


def time_words(moment: datetime) -> str:
    """In UTC, as SQL's holdfast.time_words writes it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"
