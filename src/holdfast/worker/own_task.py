"""The worker's own asyncio tasks, which share the event loop with those of its handlers."""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

T = TypeVar("T")


class OwnTask(asyncio.Task[T]):
    """A handler that cancels every task of the loop does not end this one.

    Timeouts, task groups and a closing loop cancel from callbacks, where no task is current, and do end it.
    """

    def cancel(self, msg: Any | None = None) -> bool:
        current = asyncio.current_task(self.get_loop())
        if current is None or isinstance(current, OwnTask):
            return super().cancel(msg)
        emit(Event.CANCEL_REFUSED, task=self.get_name(), by=current.get_name())
        return False

    def end(self) -> bool:
        """Cancels it, from any task."""
        return super().cancel()


async def end_all(tasks: Sequence[OwnTask[Any]]) -> None:
    for task in tasks:
        task.end()
    await asyncio.gather(*tasks, return_exceptions=True)
