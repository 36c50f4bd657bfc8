"""An open agent in one worker: its connections live as long as the worker."""

import inspect
from typing import TYPE_CHECKING, Any, assert_never, cast

from holdfast.agent.agent_context import AgentContext
from holdfast.agent.chat_messages import PromptMessage
from holdfast.agent.conversation import Conversation
from holdfast.agent.conversation_checkpoints import Memory
from holdfast.agent.conversation_end import Again, Done, End, GoTo, Refuse, Undecided
from holdfast.agent.model import Model
from holdfast.agent.server import Server
from holdfast.model.context import Context
from holdfast.model.end_attempt import Reject, Retry
from holdfast.model.stage_routing import Advance

if TYPE_CHECKING:
    from holdfast.agent.agent import Agent

UNDECIDED = "no_decision"
"""The label of a job whose agent ended without a decision, and a key of its output."""


class Instance:
    def __init__(self, agent: "Agent") -> None:
        self._agent = agent
        self._models: dict[Server, Model] = {}

    async def handle(self, payload: Any, ctx: Context) -> Any:
        job = cast(AgentContext, ctx)  # the worker's; this layer cannot import its class
        model = self._model(job.endpoint)
        life = job.generation, job.failures
        memory = Memory(await job.checkpoints(), life, self._agent.max_turns)
        offer = self._agent.toolbox.offer(await job.open_stages())
        opening = await self._opening(payload, job)
        conversation = Conversation(model, offer, memory, job, opening)
        end = await conversation.run(self._agent.max_turns)
        return await _follow(end, conversation, job)

    async def close(self) -> None:
        models, self._models = self._models, {}
        for model in models.values():
            await model.close()

    def _model(self, endpoint: str | None) -> Model:
        """Connects at first use, so that a missing key becomes the job's error."""
        server = self._agent.server(endpoint)
        if server not in self._models:
            self._models[server] = server.connect()
        return self._models[server]

    async def _opening(self, payload: Any, ctx: AgentContext) -> list[PromptMessage]:
        prompt = self._agent.prompt(payload, ctx)
        asked = PromptMessage("user", await prompt if inspect.isawaitable(prompt) else prompt)
        return [asked] if self._agent.system is None else [PromptMessage("system", self._agent.system), asked]


async def _follow(end: End, conversation: Conversation, ctx: AgentContext) -> Any:
    """The return value or exception of the handler."""
    if UNDECIDED in ctx.labels and not isinstance(end, Undecided):
        await ctx.label(**{UNDECIDED: None})  # of an earlier generation or visit
    match end:
        case GoTo(stage):
            return conversation.marker or ctx.advance(stage, conversation.output)
        case Refuse(reason):
            raise Reject(reason)
        case Again(reason, delay):
            raise Retry(reason, delay)
        case Done():
            return conversation.output
        case Undecided(text, finish_reason):
            await ctx.label(**{UNDECIDED: True})
            output = {UNDECIDED: True, "text": text, "finish_reason": finish_reason}
            return output if ctx.stage is None else Advance((), output, is_checked=False)
        case _:
            assert_never(end)
