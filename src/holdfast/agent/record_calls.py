"""Records the model calls and the tool calls of an agent's conversation."""

import asyncio
from time import monotonic
from typing import Any

from holdfast.agent.agent_context import AgentContext
from holdfast.agent.chat_messages import ToolRequest
from holdfast.agent.model import Model
from holdfast.model.error import DatabaseError, DatabaseUnavailable, HoldfastError
from holdfast.model.recorded_call import CallKind, NewCall
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

# A paid answer is saved with retries while the database is unavailable, until the lease expires.
SAVE_AGAIN_AFTER = 0.5


def model_call(
    model: Model, began: float, units: float | None, finish_reason: str, error: str | None = None
) -> NewCall:
    return NewCall(CallKind.MODEL, model.name, monotonic() - began, units, finish_reason, error=error)


def tool_call(request: ToolRequest, began: float, finish_reason: str, error: str | None) -> NewCall:
    return NewCall(
        CallKind.TOOL,
        request.name,
        monotonic() - began,
        finish_reason=finish_reason,
        argument_bytes=len(request.arguments.encode()),
        error=error,
    )


async def save_call(ctx: AgentContext, call: NewCall, checkpoint: str, data: Any) -> None:
    """A call and its result, which the next attempt finds in the checkpoint."""
    while True:
        try:
            return await ctx.save_call(call, checkpoint, data)
        except DatabaseError:
            raise
        except DatabaseUnavailable:
            await asyncio.sleep(SAVE_AGAIN_AFTER)


async def record_call(ctx: AgentContext, call: NewCall) -> None:
    """A call that ends the attempt: the end counts, even if the call cannot be recorded."""
    try:
        await ctx.save_call(call)
    except HoldfastError as exc:
        emit(Event.CALL_NOT_RECORDED, call=call.name, because=exc.message)
