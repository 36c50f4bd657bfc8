"""The result of one tool call."""

from dataclasses import dataclass
from typing import Any

from holdfast.agent.conversation_end import Decision, read, write


@dataclass(frozen=True, slots=True)
class Result:
    """`text` is for the model; a decision ends the conversation; `output` is what was written, if `wrote`."""

    text: str
    finish_reason: str = "ok"
    error: str | None = None
    decision: Decision | None = None
    wrote: bool = False
    output: Any = None

    def document(self) -> dict[str, Any]:
        """For a checkpoint."""
        decision = None if self.decision is None else write(self.decision)
        return {"text": self.text, "decision": decision, "wrote": self.wrote, "output": self.output}

    @classmethod
    def read(cls, saved: dict[str, Any]) -> "Result":
        decision = saved["decision"]
        return cls(
            text=saved["text"],
            decision=None if decision is None else read(decision),
            wrote=saved["wrote"],
            output=saved["output"],
        )


def mistake(words: str) -> Result:
    """Sent back to the model, which can correct itself."""
    return Result(f"Error: {words}", "error", words)
