"""One line of a table: what is promised or done, what is expected of it, and the tests that show it.

A proof is a test (its path below tests/, and its name) or a fault of `./dev chaos`, written as chaos:NAME.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """`gap`: what no test shows yet, in words."""

    what: str
    expected: str
    proofs: tuple[str, ...]
    gap: str = ""


def named(path: str, test: str) -> str:
    """A test whose name does not fit into a line."""
    return f"{path}::{test}"
