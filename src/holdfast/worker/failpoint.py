"""Named points at which a test can kill, stop or disturb a worker.

They do nothing here, and nothing in the package can arm them: tests set their own function as `hook`.
"""

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reach(point: str) -> None:
    if hook is not None:
        hook(point)
