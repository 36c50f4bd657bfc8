"""A conversation with a model, whichever API it goes by."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.agent.document import text
from holdfast.agent.tool_spec import ToolSpec
from holdfast.model.text import storable

# Foreign text is kept in a checkpoint, which may have a mebibyte.
MOST_TEXT = 400_000
# What a model made up is sent back to it, and servers refuse names with other characters.
_ODD = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Said:
    """By us: the system prompt, or the prompt made of the job."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The model asks for a tool; `arguments` are the text that it wrote, which may not even be JSON."""

    id: str
    name: str
    arguments: str

    @classmethod
    def read(cls, index: int, call: Mapping[str, Any]) -> "ToolRequest":
        """From either API; what is missing is named as no tool is."""
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
        """The arguments to be sent back: a conversation with broken JSON in it is refused by some servers."""
        try:
            found = json.loads(self.arguments)
            json.dumps(found)  # what was read may yet be too deep to be written
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    requests: tuple[ToolRequest, ...]
    units: float
    finish_reason: str


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool gave, for the model."""

    request: ToolRequest
    text: str


Message = Said | Answer | ToolReply


class Api(Protocol):
    """What differs between the APIs."""

    def address(self, url: str) -> str:
        """Where to send calls, for the address that the user gave."""

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        options: Mapping[str, Any],
    ) -> dict[str, Any]: ...

    def read(self, document: Mapping[str, Any]) -> Answer:
        """Raises ModelFailed if it is no answer."""
