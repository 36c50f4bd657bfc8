"""One job's conversation with the model: turns, each an answer and the tools that it asks for."""

import asyncio
import logging
from collections.abc import Sequence
from time import monotonic
from typing import Any

from holdfast.agent.builtin import ADVANCE, WRITE
from holdfast.agent.chat import Answer, Message, Said, ToolReply, ToolRequest
from holdfast.agent.context import AgentContext
from holdfast.agent.decision import Again, Done, End, GoTo, Refuse, Undecided
from holdfast.agent.memory import Memory, fits
from holdfast.agent.model import Model
from holdfast.agent.result import Result, mistake
from holdfast.agent.toolbox import Offer
from holdfast.model.call import CallKind, NewCall
from holdfast.model.error import (
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    LeaseLost,
    ModelFailed,
    TooManyTurns,
)
from holdfast.model.signal import HandlerSignal, Yield
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event

# What was paid for is saved again and again while the database is away; the lease's end stops it.
SAVE_AGAIN_AFTER = 0.5
# Words that end so are not all that the model had to say.
CUT_OFF = frozenset({"length", "content_filter"})


class Conversation:
    """`output` is what the model wrote last, `marker` what its `advance` made of it."""

    def __init__(
        self, model: Model, offer: Offer, memory: Memory, ctx: AgentContext, opening: Sequence[Said]
    ) -> None:
        self._model = model
        self._offer = offer
        self._memory = memory
        self._ctx = ctx
        self._messages: list[Message] = [*opening]
        self.has_written = False
        self.output: Any = None
        self.marker: Any = None

    async def run(self, max_turns: int) -> End:
        for turn in range(1, max_turns + 1):
            answer = self._memory.answer(turn) or await self._ask(turn)
            self._messages.append(answer)
            if not answer.requests:
                return self._ended(answer)
            for place, request in enumerate(answer.requests):
                result = self._memory.result(turn, place) or await self._use(turn, place, request)
                if result.wrote:
                    self.has_written, self.output = True, result.output
                if result.decision is not None:
                    return result.decision
                self._messages.append(ToolReply(request, result.text))
        raise TooManyTurns(f"The model {self._model.name} came to no end within {max_turns} turns.")

    def _ended(self, answer: Answer) -> End:
        if self._offer.words_are_output and answer.finish_reason not in CUT_OFF:
            self.has_written, self.output = True, answer.text
        return Done() if self.has_written else Undecided(answer.text, answer.finish_reason)

    async def _ask(self, turn: int) -> Answer:
        if self._ctx.should_yield.is_set():
            raise Yield("its worker leaves; the conversation goes on in the next one")
        key = self._ctx.idempotency_key(self._memory.step(turn))
        began = monotonic()
        self._ctx.endpoint_ok = None  # nothing is known of it until it answers
        try:
            answer = await self._model.ask(self._messages, self._offer.specs, key)
        except ModelFailed as exc:
            await self._record(self._model_call(began, None, "error", exc.message))
            raise
        self._ctx.endpoint_ok = True
        self._ctx.units(answer.units)
        call = self._model_call(began, answer.units, answer.finish_reason)
        data = self._memory.with_answer(answer)
        if not fits(data):
            raise ModelFailed(f"The answer of {self._model.name} is too long to be kept.", endpoint_ok=True)
        await self._save(call, self._memory.answer_name(turn), data)
        return answer

    async def _use(self, turn: int, place: int, request: ToolRequest) -> Result:
        began = monotonic()
        try:
            result = self._checked(await self._offer.use(request, self._ctx))
            data = self._memory.with_result(result)
            if not fits(data):
                result = mistake("what the tool gave is too long to be kept.")
                data = self._memory.with_result(result)
        except HandlerSignal as signal:
            if signal.endpoint_ok is None:
                # The model answered, now or in an earlier attempt. What a tool asked is another server.
                signal.endpoint_ok = self._ctx.endpoint_ok
                signal.is_of_another_server = True
            await self._record(_tool_call(request, began, type(signal).__name__, str(signal)))
            raise
        call = _tool_call(request, began, result.finish_reason, result.error)
        await self._save(call, self._memory.result_name(turn, place), data)
        return result

    def _checked(self, result: Result) -> Result:
        """A stage that does not exist is the model's mistake, as is to go on without an output."""
        match result.decision:
            case GoTo(stage):
                if not self.has_written and self._offer.needs_output:
                    return mistake(f"call {WRITE} before {ADVANCE}.")
                try:
                    self.marker = self._ctx.advance(stage, self.output)
                except LeaseLost:
                    raise
                except HoldfastError as exc:
                    return mistake(" ".join(filter(None, (exc.message, exc.hint))))
            case Refuse() | Again() | None:
                pass
        return result

    async def _record(self, call: NewCall) -> None:
        """A call that ends the attempt: that end counts, and is told even if the call cannot be recorded."""
        try:
            await self._ctx.save_call(call)
        except HoldfastError as exc:
            emit(Event.CALL_NOT_RECORDED, logging.WARNING, call=call.name, because=exc.message)

    async def _save(self, call: NewCall, checkpoint: str, data: Any) -> None:
        while True:
            try:
                return await self._ctx.save_call(call, checkpoint, data)
            except DatabaseError:
                raise
            except DatabaseUnavailable:
                await asyncio.sleep(SAVE_AGAIN_AFTER)

    def _model_call(
        self, began: float, units: float | None, finish_reason: str, error: str | None = None
    ) -> NewCall:
        seconds = monotonic() - began
        return NewCall(CallKind.MODEL, self._model.name, seconds, units, finish_reason, error=error)


def _tool_call(request: ToolRequest, began: float, finish_reason: str, error: str | None) -> NewCall:
    return NewCall(
        CallKind.TOOL,
        request.name,
        monotonic() - began,
        finish_reason=finish_reason,
        argument_bytes=len(request.arguments.encode()),
        error=error,
    )
