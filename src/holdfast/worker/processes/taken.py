"""Kills attempts in process mode whose job was taken: fenced after a cancel that the handler ignored."""

from holdfast.db.statement import Executor
from holdfast.db.worker import held_jobs
from holdfast.model.id import WorkerId
from holdfast.worker.running import Running, Stop
from holdfast.worker.slots import Slots


class Taken:
    """A thread would run on, fenced. A process need not."""

    def __init__(self, me: WorkerId, slots: Slots) -> None:
        self._me = me
        self._slots = slots

    async def stop(self, on: Executor) -> int:
        # Those that ran before the question are held, unless taken; a job claimed meanwhile may be missing.
        before = [running for running in self._slots.running if running.handler.process is not None]
        if not before:
            return 0
        held = await held_jobs(on, self._me)
        taken = [one for one in before if one in self._slots.running and _key(one) not in held]
        for running in taken:
            running.tell_to_stop(Stop.LEASE_ENDED)
        return len(taken)


def _key(running: Running) -> tuple[object, object]:
    return running.job.id, running.job.token
