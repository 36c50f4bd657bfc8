"""How a worker leaves: claim nothing more, finish what runs, release the rest, settle all."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from holdfast.worker.own_task import OwnTask, end_all
from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.settle import Settler
from holdfast.worker.slots import Slots
from holdfast.worker.timebox import CANCEL, GIVE_UP, SETTLED, TimeBox

# For handlers to clean up after being cancelled, and for the last ends to be sent.
CLEAN_UP = timedelta(seconds=2)
# Of that, for the process to end: exit handlers, and threads that the interpreter waits for.
CLOSING = timedelta(seconds=0.5)
FLUSH = timedelta(seconds=5)


class Departure:
    def __init__(self, settler: Settler, slots: Slots, runner: Runner, hurry: asyncio.Event) -> None:
        self._settler = settler
        self._slots = slots
        self._runner = runner
        self._hurry = hurry

    async def leave(self, grace: timedelta, box: TimeBox | None = None) -> None:
        """Nothing is claimed any more. The clean-up is part of the grace; a lost database takes longer.

        In a time box each step has its share of the margin: what is not done by then is left to the lease.
        """
        why = Stop.WORKER_LEAVES if box is None else Stop.BOX_ENDS
        self._runner.ask_to_yield()
        await self._finish(_least(max(grace - CLEAN_UP, grace / 2), box, CANCEL))
        self._runner.stop_all(why)
        await self._until_none_runs(_least(CLEAN_UP - CLOSING, box, GIVE_UP))
        self._runner.give_up(why)
        await self._flush(_least(FLUSH, box, SETTLED))

    async def _finish(self, grace: timedelta) -> None:
        ends: list[OwnTask[Any]] = [OwnTask(self._hurry.wait()), OwnTask(self._until_none_runs(grace))]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        await end_all(ends)

    async def _until_none_runs(self, most: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(most.total_seconds()):
                await self._slots.until_none_runs()

    async def _flush(self, most: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(most.total_seconds()):
                await self._settler.until_clear()


def _least(usual: timedelta, box: TimeBox | None, part: float) -> timedelta:
    return usual if box is None else min(usual, box.left_to(part))
