"""All tools of an agent: asked for by a model, which makes mistakes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from holdfast.agent.arguments import Arguments
from holdfast.agent.builtin import NAMES, WRITE, Builtins, decision_of, spec_of
from holdfast.agent.chat import ToolRequest
from holdfast.agent.output import Output
from holdfast.agent.result import Result, mistake
from holdfast.agent.tool import Tool
from holdfast.model.error import DatabaseError, DatabaseUnavailable, InvalidOption, InvalidPayload, LeaseLost
from holdfast.model.signal import HandlerSignal
from holdfast.model.text import storable

# Bytes of what a tool gave, and of what is said of a mistake.
MOST_RESULT = 200_000
MOST_WORDS = 2000
STORED = "Stored."


class Toolbox:
    def __init__(self, functions: Sequence[Callable[..., Any]], builtins: Builtins) -> None:
        tools = [Tool(function) for function in functions]
        self._tools = {tool.spec.name: tool for tool in tools}
        self._builtins = builtins
        taken = [name for name in NAMES if name in self._tools]
        if taken or len(self._tools) < len(tools):
            raise InvalidOption(
                f"An agent's tools need names of their own, not {', '.join(taken) or 'one name twice'}.",
                f"{', '.join(NAMES)} are the built-in tools",
            )

    def offer(self, open_stages: Sequence[str]) -> "Offer":
        """For a job that may go to these stages."""
        return Offer(self._tools, self._builtins.output, self._builtins.arguments(open_stages))


class Offer:
    """The tools that the model may ask for in one conversation."""

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
        """What goes wrong goes to the model; only what ends the attempt is raised."""
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
    except (HandlerSignal, LeaseLost, DatabaseUnavailable, DatabaseError):
        raise
    except Exception as exc:
        return mistake(storable(f"{type(exc).__name__}: {exc}", MOST_WORDS))


def _complaint(exc: ValidationError) -> str:
    """Each fault with its place; without the values, which the model knows."""
    faults = exc.errors(include_url=False, include_context=False, include_input=False)
    parts = [f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in faults]
    return storable("the arguments do not fit. " + "; ".join(parts), MOST_WORDS)
