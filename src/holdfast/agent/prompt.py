"""The default prompt: the payload and the outputs of earlier stages."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_core import to_jsonable_python

from holdfast.agent.agent_context import AgentContext

Prompt = Callable[[Any, Any], str | Awaitable[str]]
"""From the payload and the JobContext to the first message; it should be the same for every attempt."""


async def default_prompt(payload: Any, ctx: AgentContext) -> str:
    parts = [f"The job:\n{_json(payload)}"]
    context = {} if ctx.stage is None else await ctx.context
    if context:
        parts.append(f"What earlier stages left:\n{_json(context)}")
    return "\n\n".join(parts)


def _json(value: Any) -> str:
    return json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=1)
