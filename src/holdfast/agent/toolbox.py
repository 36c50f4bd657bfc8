"""All tools of an agent, called by a model that makes mistakes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from holdfast.agent.agent_output import Output
from holdfast.agent.builtin_tools import NAMES, WRITE, Builtins, decision_of, spec_of
from holdfast.agent.chat_messages import ToolRequest
from holdfast.agent.tool import Tool
from holdfast.agent.tool_arguments import Arguments
from holdfast.agent.tool_result import Result, mistake
from holdfast.model.end_attempt import EndAttempt
from holdfast.model.error import DatabaseError, DatabaseUnavailable, InvalidOption, InvalidPayload, LeaseLost
from holdfast.model.storable_text import storable

# Bytes of a tool's result, and of an error message.
MOST_RESULT = 200_000
MOST_WORDS = 2000
STORED = "Stored."


class Toolbox:
    def __init__(self, functions: Sequence[Callable[..., Any]], builtins: Builtins) -> None:
        tools = [Tool(function) for function in functions]
        self._tools = {tool.spec.name: tool for tool in tools}
        self._builtins = builtins
        taken = [name for name in NAMES if name in self._tools]
        if taken:
            raise InvalidOption(
                f"An agent's tool cannot be named {taken[0]}, because a built-in tool has this name.",
                f"choose another name; the built-in tools are {', '.join(NAMES)}",
            )
        if len(self._tools) < len(tools):
            raise InvalidOption("Two of the agent's tools have the same name.", "rename one of the functions")

    def offer(self, open_stages: Sequence[str]) -> "Offer":
        """For a job that may advance to these stages."""
        return Offer(self._tools, self._builtins.output, self._builtins.arguments(open_stages))


class Offer:
    """The tools that the model may call in one conversation."""

    def __init__(
        self, tools: Mapping[str, Tool], output: Output | None, decisions: Mapping[str, Arguments]
    ) -> None:
        self._tools = tools
        self._output = output
        self._decisions = decisions
        self.words_are_output = output is None
        self.needs_output = output is not None and output.is_required
        write = [] if output is None else [spec_of(WRITE, output.parameters)]
        own = [tool.spec for tool in tools.values()]
        self.specs = [*own, *write, *(spec_of(name, one.schema) for name, one in decisions.items())]

    async def use(self, request: ToolRequest, ctx: Any) -> Result:
        """Errors go to the model; only exceptions that end the attempt are raised."""
        try:
            tool = self._tools.get(request.name)
            if tool is None:
                return self._decide(request)
            arguments = tool.arguments.read(request.arguments)
        except ValidationError as exc:
            return mistake(_complaint(exc))
        except InvalidPayload as exc:
            return mistake(exc.message)
        return await _call(tool, arguments, ctx)

    def _decide(self, request: ToolRequest) -> Result:
        name = request.name
        if name == WRITE and self._output is not None:
            return Result(STORED, wrote=True, output=self._output.read(request.arguments))
        if name not in self._decisions:
            names = ", ".join(sorted(spec.name for spec in self.specs))
            return mistake(f"there is no tool {name}; there are {names}.")
        found = self._decisions[name].read(request.arguments)
        return Result("Done.", name, decision=decision_of(name, found))


async def _call(tool: Tool, arguments: dict[str, Any], ctx: Any) -> Result:
    try:
        return Result(storable(await tool.call(arguments, ctx), MOST_RESULT))
    except (EndAttempt, LeaseLost, DatabaseUnavailable, DatabaseError):
        raise
    except Exception as exc:
        return mistake(storable(f"{type(exc).__name__}: {exc}", MOST_WORDS))


def _complaint(exc: ValidationError) -> str:
    """Each error with its place, without the values, which the model knows."""
    faults = exc.errors(include_url=False, include_context=False, include_input=False)
    parts = [f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in faults]
    return storable("the arguments do not fit. " + "; ".join(parts), MOST_WORDS)
