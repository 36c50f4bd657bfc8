"""One attempt inside a child, from the worker's message to the end that is sent back."""

import inspect
import os
import sys
import traceback
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from holdfast.model.id import JobId, RunId, Token
from holdfast.model.job import ClaimedJob
from holdfast.pipeline.models import StageModels
from holdfast.telemetry.job_log import running_attempt
from holdfast.telemetry.tracer import Carrier, load_tracer
from holdfast.worker.attempt.failure import end_after
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.attempt.return_value import returned
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.call.process.child.child_log import ChildLog
from holdfast.worker.call.process.child.handler_loop import HandlerLoop
from holdfast.worker.call.process.child.parent_connection import ParentConnection, StopFlags
from holdfast.worker.call.process.child.pipe_port import PipePort
from holdfast.worker.call.process.child.wrapped_call import call_wrapped
from holdfast.worker.call.process.message_frame import Message
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.original_process import OriginalProcess

NO_TOKEN = Token(UUID(int=0))


def run_attempt(
    handler: Handler,
    loop: HandlerLoop,
    worker: ParentConnection,
    log: ChildLog,
    order: Message,
    asked: StopFlags,
) -> Message:
    home, attempt = OriginalProcess(), Attempt(_read(order["job"]), handler)
    attempt.cancelled_event, attempt.yield_event = asked.to_cancel, asked.to_yield
    ends_at = None if order["left"] is None else monotonic() + order["left"]
    context = JobContext(attempt, PipePort(worker, order["installation"], loop.resources, ends_at))
    is_spent = False
    log.begin(attempt, is_kept=order["has_log"])
    before = running_attempt.set(attempt)  # for the log
    try:
        with _traced(order["trace"]):
            attempt = returned(_called(attempt, context, loop), StageModels())
    except MemoryError as exc:
        # Releases the objects that filled the memory before the report is made.
        traceback.clear_frames(exc.__traceback__)
        attempt.end, is_spent = end_after(exc, attempt), True
    except BaseException as exc:
        home.leave_if_forked(exc)
        attempt.end = end_after(exc, attempt)
    running_attempt.reset(before)
    home.leave_if_forked()
    _flush()
    log.end()
    assert attempt.end is not None
    return {"end": list(attempt.end), "last": is_spent or loop.is_spent or _has_children()}


def _called(attempt: Attempt, context: JobContext, handler_loop: HandlerLoop) -> Attempt:
    handler = attempt.handler
    if handler.wrappers:
        with handler_loop.loop() as loop:
            attempt.value = call_wrapped(attempt, context, loop)
        return attempt
    attempt.value = handler.function(**handler.arguments(attempt.job.payload_json, context))
    if inspect.iscoroutine(attempt.value):
        with handler_loop.loop() as loop:
            attempt.value = loop.until_done(attempt.value)
    return attempt


def _traced(carrier: Carrier | None) -> AbstractContextManager[None]:
    """Spans of this process belong to the attempt's span, which is the worker's."""
    return nullcontext() if carrier is None else load_tracer().follow(carrier)


def _has_children() -> bool:
    """Whether the handler left processes behind; the worker then ends them with this one."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _flush() -> None:
    """Flushes printed output, which would be lost when the child is killed."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


def _read(written: dict[str, Any]) -> ClaimedJob:
    """Without the token: only the worker writes to the database."""
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
