"""Moves of many jobs to another queue, in steps."""

from collections.abc import Awaitable, Callable

from holdfast.db import moves
from holdfast.db.statement import Executor
from holdfast.model.move import Moved

STEP = 1000


async def move_in_steps(on: Executor, source: str, to: str, limit: int, reason: str, actor: str) -> Moved:
    """Each step is a transaction, so that no claim passes over many locked jobs for long. Ends early if a
    step finds no job that it may move.
    """

    async def move(most: int) -> Moved:
        return await moves.move_jobs(on, source, to, most, reason, actor)

    return await in_steps(move, limit)


async def in_steps(move: Callable[[int], Awaitable[Moved]], limit: int, step: int = STEP) -> Moved:
    """`move` moves up to so many jobs."""
    total = Moved()
    while total.total < limit:
        moved = await move(min(step, limit - total.total))
        total = Moved(total.ready + moved.ready, total.scheduled + moved.scheduled)
        if not moved.total:
            break
    return total
