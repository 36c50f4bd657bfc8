"""The free slots of a queue's workers: whether a queue is late for want of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.db import worker_list
from holdfast.db.statement import Executor
from holdfast.model.human_readable import counted

MOST_WORKERS = 1000


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """`host`: of the worker that has the most of them."""

    workers: int
    slots: int
    host: str

    @property
    def words(self) -> str:
        return f"{counted(self.workers, 'worker')}, {counted(self.slots, 'free slot')}"


async def free_slots(on: Executor, queues: Iterable[str]) -> dict[str, FreeSlots]:
    """By queue, without those that no live worker takes."""
    wanted = set(queues)
    if not wanted:
        return {}
    live = await worker_list.list_workers(on, MOST_WORKERS, live_only=True)
    serving = [one for one in live if one.state == "working" and not wanted.isdisjoint(one.queues)]
    busy = await worker_list.running_by_worker(on, [one.id for one in serving])
    found = {}
    for queue in wanted:
        free = [
            (max(0, one.slots - busy.get(one.id, 0)), one.host or "a worker")
            for one in serving
            if queue in one.queues
        ]
        if free:
            found[queue] = FreeSlots(len(free), sum(slots for slots, _ in free), max(free)[1])
    return found
