"""Moves of many jobs to another queue, in steps."""

from holdfast.db import moves
from holdfast.db.statement import Executor
from holdfast.model.move import Moved

STEP = 1000


async def move_in_steps(on: Executor, source: str, to: str, limit: int, reason: str, actor: str) -> Moved:
    """Each step is a transaction, so that no claim passes over many locked jobs for long. Ends early if a
    step finds no job that it may move.
    """
    total = Moved()
    while True:
        wanted = min(STEP, limit - total.total)
        step = await moves.move_jobs(on, source, to, wanted, reason, actor)
        total = Moved(total.ready + step.ready, total.scheduled + step.scheduled)
        if not step.total or total.total >= limit:
            return total
