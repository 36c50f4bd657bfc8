"""Tasks of the worker's own, which share the event loop with those of its handlers."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, TypeVar

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

T = TypeVar("T")


class OwnTask(asyncio.Task[T]):
    """A handler that cancels every task of the loop does not end this one.

    Timeouts and task groups inside it cancel it from callbacks, where no task is current, as a loop does that
    is closed.
    """

    def cancel(self, msg: Any | None = None) -> bool:
        current = asyncio.current_task(self.get_loop())
        if current is None or isinstance(current, OwnTask):
            return super().cancel(msg)
        emit(Event.CANCEL_REFUSED, logging.WARNING, task=self.get_name(), by=current.get_name())
        return False

    def end(self) -> bool:
        """Cancel it, whoever asks."""
        return super().cancel()


async def end_all(tasks: Sequence[OwnTask[Any]]) -> None:
    for task in tasks:
        task.end()
    await asyncio.gather(*tasks, return_exceptions=True)
