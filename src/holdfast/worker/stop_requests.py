"""Requests to cancel jobs that this worker runs."""

from holdfast.db.statement import Executor
from holdfast.db.worker import asked_to_stop
from holdfast.model.id import WorkerId
from holdfast.worker.run import Runner
from holdfast.worker.slots import Slots


class StopRequests:
    def __init__(self, me: WorkerId, slots: Slots, runner: Runner) -> None:
        self._me = me
        self._slots = slots
        self._runner = runner

    async def obey(self, on: Executor) -> int:
        """A chore: how many there were."""
        if not self._slots.running:
            return 0
        requests = await asked_to_stop(on, self._me)
        self._runner.ask_to_stop(requests)
        return len(requests)
