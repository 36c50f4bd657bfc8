"""Shutdown of a worker: claim nothing more, finish running jobs, release the rest, settle all."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from holdfast.worker.attempt.attempt_runner import AttemptRunner
from holdfast.worker.attempt.running_attempt import Stop
from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.settle.settle_loop import SettleLoop
from holdfast.worker.time_box.time_box import CANCEL, GIVE_UP, SETTLED, TimeBox
from holdfast.worker.worker_state import WorkerState

# For handlers to clean up after their cancellation, and to send the last ends.
CLEAN_UP = timedelta(seconds=2)
# The part of it for the exit of the process: exit handlers, and threads that the interpreter joins.
CLOSING = timedelta(seconds=0.5)
FLUSH = timedelta(seconds=5)


class Shutdown:
    def __init__(self, worker: WorkerState, attempts: AttemptRunner, settling: SettleLoop) -> None:
        self._worker = worker
        self._attempts = attempts
        self._settling = settling

    async def leave(self) -> None:
        """The worker no longer claims. The clean-up is part of the grace period; without a database it takes
        longer.

        In a time box each step has its share of the margin; jobs that are not settled by then wait for the
        lease.
        """
        grace, box = self._worker.options.grace, self._worker.options.box
        why = Stop.WORKER_LEAVES if box is None else Stop.BOX_ENDS
        self._worker.slots.ask_all_to_yield()
        await self._finish(_least(max(grace - CLEAN_UP, grace / 2), box, CANCEL))
        self._worker.slots.stop_all(why)
        await self._until_none_runs(_least(CLEAN_UP - CLOSING, box, GIVE_UP))
        self._attempts.give_up(why)
        await self._flush(_least(FLUSH, box, SETTLED))

    async def _finish(self, grace: timedelta) -> None:
        ends: list[OwnTask[Any]] = [
            OwnTask(self._worker.stopping.hurry.wait()),
            OwnTask(self._until_none_runs(grace)),
        ]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        await end_all(ends)

    async def _until_none_runs(self, most: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(most.total_seconds()):
                await self._worker.slots.until_none_runs()

    async def _flush(self, most: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(most.total_seconds()):
                await self._settling.until_clear()


def _least(usual: timedelta, box: TimeBox | None, part: float) -> timedelta:
    return usual if box is None else min(usual, box.left_to(part))
