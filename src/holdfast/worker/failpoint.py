"""Named moments at which a test may kill, stop or disturb a worker.

Here they do nothing, and nothing in the package can arm them: the tests put their own function into `hook`.
"""

from collections.abc import Callable


def _nothing(point: str) -> None:
    """A released worker passes every point."""


hook: Callable[[str], None] = _nothing


def reach(point: str) -> None:
    hook(point)
