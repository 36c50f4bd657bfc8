"""How a worker leaves: claim nothing more, finish what runs, release the rest, settle all."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.settle import Settler
from holdfast.worker.slots import Slots

# For handlers to clean up after being cancelled, and for the last ends to be sent.
CLEAN_UP = timedelta(seconds=2)
FLUSH = timedelta(seconds=5)


class Departure:
    def __init__(self, settler: Settler, slots: Slots, runner: Runner, hurry: asyncio.Event) -> None:
        self._settler = settler
        self._slots = slots
        self._runner = runner
        self._hurry = hurry

    async def leave(self, grace: timedelta) -> None:
        """Nothing is claimed any more. The clean-up is part of the grace; a lost database takes longer."""
        await self._finish(max(grace - CLEAN_UP, grace / 2))
        self._runner.stop_all(Stop.WORKER_LEAVES)
        await self._until_none_runs(CLEAN_UP)
        self._runner.give_up(Stop.WORKER_LEAVES)
        await self._flush()

    async def _finish(self, grace: timedelta) -> None:
        hurried = asyncio.create_task(self._hurry.wait())
        finished = asyncio.create_task(self._until_none_runs(grace))
        await asyncio.wait({hurried, finished}, return_when=asyncio.FIRST_COMPLETED)
        for task in (hurried, finished):
            task.cancel()
        await asyncio.gather(hurried, finished, return_exceptions=True)

    async def _until_none_runs(self, most: timedelta) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(most.total_seconds()):
                await self._slots.until_none_runs()

    async def _flush(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH.total_seconds()):
                await self._settler.until_clear()
