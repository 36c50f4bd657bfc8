"""Runs what is enqueued, with a real worker, until nothing is left to do."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdfast.client.app import Holdfast

if TYPE_CHECKING:
    from holdfast.worker import WorkerReport


async def drain(app: Holdfast, queues: Iterable[str] | None = None) -> "WorkerReport":
    """Works on `queues`, or on all that the app knows, until they have no ready or running job."""
    from holdfast.worker import Worker

    known = {task.policy.queue for task in app.tasks.values()} | app.queues.keys()
    return await Worker(app, queues=sorted(known if queues is None else queues), drain=True).run()
