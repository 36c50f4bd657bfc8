"""A conversation with a model, independent of its API."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.agent.lenient_json import text
from holdfast.agent.tool_spec import ToolSpec
from holdfast.model.storable_text import storable

# Text from outside is kept in a checkpoint, which may have a mebibyte.
MOST_TEXT = 400_000
# Names that a model invented are sent back to it, and servers refuse names with other characters.
_ODD = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """Our message: the system prompt, or the prompt from the job."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool call of the model; `arguments` is the model's text, which may not be JSON."""

    id: str
    name: str
    arguments: str

    @classmethod
    def read(cls, index: int, call: Mapping[str, Any]) -> "ToolRequest":
        """From either API; a missing name becomes one that no tool has."""
        function = call.get("function")
        found: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
        arguments = found.get("arguments")
        written = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        return cls(
            id=storable(text(call.get("id")), 200) or f"call_{index}",
            name=_ODD.sub("_", text(found.get("name")))[:64] or "unnamed",
            arguments=storable(written, MOST_TEXT) or "{}",
        )

    @property
    def fields(self) -> dict[str, Any]:
        """The arguments to send back: some servers refuse a conversation that contains invalid JSON."""
        try:
            found = json.loads(self.arguments)
            json.dumps(found)  # a value that was parsed may still be too deep to be serialized
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one answer; None if the server did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    text: str
    requests: tuple[ToolRequest, ...]
    units: float
    finish_reason: str
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The result of a tool, for the model."""

    request: ToolRequest
    text: str


Message = PromptMessage | ModelAnswer | ToolReply


class Api(Protocol):
    """The differences between the APIs."""

    provider: str  # its name in traces

    def address(self, url: str) -> str:
        """Where to send calls, from the user's URL."""

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        options: Mapping[str, Any],
    ) -> dict[str, Any]: ...

    def read(self, document: Mapping[str, Any]) -> ModelAnswer:
        """Raises ModelFailed if it is not an answer."""
