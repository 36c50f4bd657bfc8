"""The workers that a run starts through a callback."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from holdfast.db import continuations
from holdfast.db.connect import Database
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.id import RunId
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

if TYPE_CHECKING:
    from holdfast.worker.time_box.callback import Callback, Starter


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """min(`most`, jobs / `claim_size`) workers, each `apart` from the one before, started by `continue_by`.

    Without a claim size: as many such jobs as `slots` complete in a `time_box`, as measured lately, or 10.
    """

    continue_by: "Starter"
    most: int = 5
    claim_size: int | None = None
    apart: Duration = "2s"
    time_box: Duration | None = None
    slots: int = 1
    queues: Sequence[str] | None = None
    group: str | None = None

    def wire(self) -> dict[str, Any]:
        """In the form of start_workers."""
        given = {
            "most": self.most,
            "claim_size": self.claim_size,
            "apart": parse_duration(self.apart).total_seconds(),
            "time_box": None if self.time_box is None else parse_duration(self.time_box).total_seconds(),
            "slots": self.slots,
            "queues": None if self.queues is None else list(self.queues),
            "group": self.group,
        }
        return {name: value for name, value in given.items() if value is not None}

    async def start(self, on: Database, run: RunId) -> int:
        """Requests all of them at once; each request says when the worker may begin. Returns how many."""
        from holdfast.worker.time_box.callback import callback_of

        callback = callback_of(self.continue_by)
        assert callback is not None
        bodies = await continuations.start_workers(on, run, self.wire())
        await asyncio.gather(*(_send(on, callback, body) for body in bodies))
        return len(bodies)


async def _send(on: Database, callback: "Callback", body: Mapping[str, Any]) -> None:
    """A failed request is repeated by the next worker that checks for lost successors."""
    from holdfast.worker.time_box.callback import CallbackFailed

    known = body["continuation"]
    try:
        await callback(body)
    except CallbackFailed as exc:
        emit(Event.CONTINUATION_NOT_SENT, continuation=known, because=exc)
        await continuations.fail_continuation(on, UUID(known), exc.message)
