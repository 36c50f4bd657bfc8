"""What a model is asked, unless the agent says otherwise: the payload and what earlier stages left."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_core import to_jsonable_python

from holdfast.agent.context import AgentContext

Prompt = Callable[[Any, Any], str | Awaitable[str]]
"""From the payload and the JobContext to the first message; it should give the same for every attempt."""


async def default_prompt(payload: Any, ctx: AgentContext) -> str:
    parts = [f"The job:\n{_json(payload)}"]
    context = {} if ctx.stage is None else await ctx.context
    if context:
        parts.append(f"What earlier stages left:\n{_json(context)}")
    return "\n\n".join(parts)


def _json(value: Any) -> str:
    return json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=1)
