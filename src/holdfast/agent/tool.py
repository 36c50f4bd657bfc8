"""A Python function as a tool, described by its annotations and its docstring."""

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, field
from inspect import Parameter
from typing import Any

from pydantic_core import to_json

from holdfast.agent.tool_arguments import Arguments
from holdfast.agent.tool_spec import ToolSpec
from holdfast.agent.tool_thread import in_thread
from holdfast.model.annotations import hints_of, is_context
from holdfast.model.context import Context
from holdfast.model.error import BadHandler

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_REFUSED = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


class Tool:
    """Created once per agent; the model does not see a parameter annotated with JobContext."""

    __slots__ = ("_context", "_function", "arguments", "spec")

    def __init__(self, function: Callable[..., Any]) -> None:
        name = _name_of(function)
        hints = hints_of(function, f"the tool {name}")
        parameters = inspect.signature(function).parameters.values()
        contexts = [one.name for one in parameters if is_context(hints.get(one.name))]
        own = [one for one in parameters if one.name not in contexts]
        self._function = function
        self._context = contexts[0] if contexts else None
        self.arguments = Arguments(name, [_field(name, one, hints) for one in own])
        self.spec = ToolSpec(name, inspect.getdoc(function) or name, self.arguments.schema)

    async def call(self, arguments: dict[str, Any], ctx: Context) -> str:
        """The function's result as text for the model; a plain function runs in a thread."""
        given = arguments if self._context is None else {**arguments, self._context: ctx}
        if inspect.iscoroutinefunction(self._function):
            return as_text(await self._function(**given))
        returned = await in_thread(self._function, given)
        return as_text(await returned if inspect.isawaitable(returned) else returned)


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return to_json(value, serialize_unknown=True).decode()


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", "")
    if not callable(function) or isinstance(function, type) or not _NAME.fullmatch(name):
        raise BadHandler(
            f"A tool must be a function with a name (got {function!r}).", "define the tool with def"
        )
    return str(name)


def _field(name: str, parameter: Parameter, hints: dict[str, Any]) -> tuple[str, Any, Field[Any]]:
    if parameter.kind in _REFUSED:
        raise BadHandler(
            f"The tool {name} has the parameter {parameter}, which cannot be passed by name.",
            "do not use *args, **kwargs or positional-only parameters",
        )
    annotation = hints.get(parameter.name, Any)
    default = parameter.default
    if default is Parameter.empty:
        return parameter.name, annotation, field()
    if default.__hash__ is None:
        return parameter.name, annotation, field(default_factory=lambda: default)
    return parameter.name, annotation, field(default=default)
