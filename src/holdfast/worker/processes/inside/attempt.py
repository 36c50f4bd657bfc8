"""One attempt inside a child, from the worker's order to the end that is sent back."""

import inspect
import os
import sys
import traceback
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from holdfast.model.id import JobId, RunId, Token
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End, end_of
from holdfast.pipeline.models import StageModels
from holdfast.worker.ending import ending
from holdfast.worker.failure import outcome_of
from holdfast.worker.forked import Home
from holdfast.worker.handler import Handler
from holdfast.worker.processes.frame import Message
from holdfast.worker.processes.inside.context import ProcessContext
from holdfast.worker.processes.inside.line import Asked, Line
from holdfast.worker.processes.inside.room import Room
from holdfast.worker.processes.inside.wrapped_call import call_wrapped
from holdfast.worker.running import Running

NO_TOKEN = Token(UUID(int=0))


def attempt(handler: Handler, room: Room, line: Line, order: Message, asked: Asked) -> Message:
    running, home = Running(_read(order["job"]), handler), Home()
    context = ProcessContext(running, line, room.resources, order["key"], asked, order["left"])
    is_spent = False
    try:
        end = _run(running, context, room)
    except MemoryError as exc:
        traceback.clear_frames(exc.__traceback__)  # what filled the memory would leave none for the report
        end, is_spent = end_of(outcome_of(exc, running)), True
    except BaseException as exc:
        home.leave_if_forked(exc)
        end = end_of(outcome_of(exc, running))
    home.leave_if_forked()
    _flush()
    return {"end": list(end), "last": is_spent or room.is_spent or _has_children()}


def _run(running: Running, context: ProcessContext, room: Room) -> End:
    handler = running.handler
    if handler.wrappers:
        with room.loop() as loop:
            return ending(running, call_wrapped(running, context, loop), StageModels())
    args, kwargs = handler.arguments(running.job.payload_json, context)
    value = handler.function(*args, **kwargs)
    if inspect.iscoroutine(value):
        with room.loop() as loop:
            value = loop.until_done(value)
    return ending(running, value, StageModels())


def _has_children() -> bool:
    """Whether the handler left processes behind; the worker then ends them with this one."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _flush() -> None:
    """What was printed would be lost when the child is killed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


def _read(written: dict[str, Any]) -> ClaimedJob:
    """The token stays with the worker, which alone writes."""
    return ClaimedJob(
        **{
            **written,
            "id": JobId(UUID(written["id"])),
            "token": NO_TOKEN,
            "run": None if written["run"] is None else RunId(UUID(written["run"])),
            "started_at": datetime.fromisoformat(written["started_at"]),
            "ready_at": datetime.fromisoformat(written["ready_at"]),
            "stop_after": None if written["stop_after"] is None else timedelta(seconds=written["stop_after"]),
        }
    )
