"""A worker's part by hand: claims what is ready and ends it as told."""

from uuid import uuid4

from holdfast.db import worker
from holdfast.db.statement import Executor
from holdfast.model.id import WorkerId
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import ErrorClass, ErrorReport, Failed, Outcome, end_of

DIES = Failed(ErrorReport(ErrorClass.PERMANENT, "ValueError", "the model said no"))


async def claim(on: Executor, queue: str = "default", n: int = 100) -> tuple[WorkerId, list[ClaimedJob]]:
    me = WorkerId(uuid4())
    await worker.register_worker(on, me, [queue], {"slots": n})
    return me, await worker.claim_jobs(on, me, n)


async def end_all(on: Executor, outcome: Outcome, queue: str = "default") -> int:
    """How many jobs of the queue ended so."""
    me, claimed = await claim(on, queue)
    ids, tokens = [job.id for job in claimed], [job.token for job in claimed]
    await worker.settle_and_claim(on, me, 0, ids, tokens, [end_of(outcome)] * len(claimed))
    return len(claimed)
