"""One job's conversation with the model in turns: an answer and the tool calls in it."""

from collections.abc import Sequence
from time import monotonic
from typing import Any

from holdfast.agent.agent_context import AgentContext
from holdfast.agent.builtin_tools import ADVANCE, WRITE
from holdfast.agent.chat_messages import Message, ModelAnswer, PromptMessage, ToolReply, ToolRequest
from holdfast.agent.conversation_checkpoints import Memory, fits
from holdfast.agent.conversation_end import Again, Done, End, GoTo, Refuse, Undecided
from holdfast.agent.model import Model
from holdfast.agent.record_calls import model_call, record_call, save_call, tool_call
from holdfast.agent.span_attributes import about_answer, about_model, about_tool
from holdfast.agent.tool_result import Result, mistake
from holdfast.agent.toolbox import Offer
from holdfast.model.end_attempt import EndAttempt, Yield
from holdfast.model.error import HoldfastError, LeaseLost, ModelFailed, TooManyTurns
from holdfast.telemetry.trace_names import model_span, tool_span
from holdfast.telemetry.tracer import Kind, span

# With these finish reasons the answer was cut off.
CUT_OFF = frozenset({"length", "content_filter"})


class Conversation:
    """`output` is what the model wrote last, `marker` the result of its `advance`."""

    def __init__(
        self, model: Model, offer: Offer, memory: Memory, ctx: AgentContext, opening: Sequence[PromptMessage]
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
        raise TooManyTurns(f"The model {self._model.name} did not finish within {max_turns} turns.")

    def _ended(self, answer: ModelAnswer) -> End:
        if self._offer.words_are_output and answer.finish_reason not in CUT_OFF:
            self.has_written, self.output = True, answer.text
        return Done() if self.has_written else Undecided(answer.text, answer.finish_reason)

    async def _ask(self, turn: int) -> ModelAnswer:
        if self._ctx.should_yield.is_set():
            raise Yield("the worker exits; the conversation continues in another worker")
        key = self._ctx.idempotency_key(self._memory.step(turn))
        began = monotonic()
        self._ctx.endpoint_ok = None  # unknown until it answers
        try:
            with span(model_span(self._model.name), Kind.CLIENT, about_model(self._model)) as traced:
                answer = await self._model.ask(self._messages, self._offer.specs, key)
                traced.set(about_answer(answer))
        except ModelFailed as exc:
            await record_call(self._ctx, model_call(self._model, began, None, "error", exc.message))
            raise
        self._ctx.endpoint_ok = True
        self._ctx.units(answer.units)
        call = model_call(self._model, began, answer.units, answer.finish_reason)
        data = self._memory.with_answer(answer)
        if not fits(data):
            raise ModelFailed(
                f"The answer of {self._model.name} is too long to be stored.",
                "tell the model in the system prompt to answer more briefly",
                endpoint_ok=True,
            )
        await save_call(self._ctx, call, self._memory.answer_name(turn), data)
        return answer

    async def _use(self, turn: int, place: int, request: ToolRequest) -> Result:
        began = monotonic()
        try:
            with span(tool_span(request.name), Kind.INTERNAL, about_tool(request)) as traced:
                result = self._checked(await self._offer.use(request, self._ctx))
                if result.error is not None:
                    traced.fail(result.finish_reason)
            data = self._memory.with_result(result)
            if not fits(data):
                result = mistake("the tool's result is too long to be stored.")
                data = self._memory.with_result(result)
        except EndAttempt as signal:
            if signal.endpoint_ok is None:
                # The model answered, now or in an earlier attempt. A tool may have called another server.
                signal.endpoint_ok = self._ctx.endpoint_ok
                signal.is_of_another_server = True
            await record_call(self._ctx, tool_call(request, began, type(signal).__name__, str(signal)))
            raise
        call = tool_call(request, began, result.finish_reason, result.error)
        await save_call(self._ctx, call, self._memory.result_name(turn, place), data)
        return result

    def _checked(self, result: Result) -> Result:
        """An unknown stage is the model's mistake, and so is advancing without an output."""
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
