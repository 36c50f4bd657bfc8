"""How a worker leaves: claim nothing more, finish what runs, release the rest, settle all, and only then stop renewing."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from time import monotonic

from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.settle import Settler
from holdfast.worker.slots import Slots
from holdfast.worker.wake import Wake

# For handlers to clean up after being cancelled, and for the last ends to be sent.
CLEAN_UP = timedelta(seconds=2)
FLUSH = timedelta(seconds=5)
LOOK_EVERY = 0.01


class Departure:
    def __init__(self, settler: Settler, slots: Slots, runner: Runner, wake: Wake, hurry: asyncio.Event) -> None:
        self._settler = settler
        self._slots = slots
        self._runner = runner
        self._wake = wake
        self._hurry = hurry

    async def leave(self, grace: timedelta) -> None:
        """Ends within the grace, plus a few seconds for what does not stop or cannot be sent."""
        self._settler.claiming.is_on = False
        self._runner.refuses = Stop.WORKER_LEAVES
        await self._finish(grace)
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
        until = monotonic() + most.total_seconds()
        while self._slots.running and monotonic() < until:
            await asyncio.sleep(LOOK_EVERY)

    async def _flush(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH.total_seconds()):
                while not self._settler.is_clear:
                    self._wake.nudge()
                    await asyncio.sleep(LOOK_EVERY)
