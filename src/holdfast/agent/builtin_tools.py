"""The tools of every agent, by which a model decides about the job."""

from collections.abc import Mapping, Sequence
from dataclasses import Field as DataclassField
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import Field

from holdfast.agent.agent_output import Output
from holdfast.agent.conversation_end import Again, Decision, GoTo, Refuse
from holdfast.agent.tool_arguments import Arguments
from holdfast.agent.tool_spec import ToolSpec

WRITE = "write_to_database"
ADVANCE = "advance"
REJECT = "reject"
RETRY = "retry"
NAMES = (WRITE, ADVANCE, REJECT, RETRY)

Parameter = tuple[str, Any, DataclassField[Any]]

_FOR_WHAT = {
    WRITE: "Store the result of your work on this job, before you finish. The last call counts.",
    ADVANCE: "Finish, and send the job on to the stage that you name. Store the result first.",
    REJECT: "Finish with the decision that this job must not be done, and say why.",
    RETRY: "Give up for now because something is not ready; the job is tried again from the start, "
    "after the delay in seconds if one is given.",
}
_NOTHING: Any = None
_REASON: Parameter = ("reason", Annotated[str, Field(min_length=1, max_length=2000)], field())
_DELAY: Parameter = ("delay", Annotated[float, Field(ge=0, le=3600)] | None, field(default=_NOTHING))


class Builtins:
    """Without `output` the model's last answer is the output. With `stages` it may advance only to these."""

    def __init__(self, output: Output | None, stages: Sequence[str]) -> None:
        self.output = output
        self._stages = frozenset(stages)
        self._choices: dict[tuple[str, ...], Arguments] = {}
        self._fixed = {REJECT: Arguments(REJECT, [_REASON]), RETRY: Arguments(RETRY, [_REASON, _DELAY])}

    def arguments(self, open_stages: Sequence[str]) -> dict[str, Arguments]:
        """One tool for each decision that the job allows; without a pipeline it cannot advance."""
        stages = tuple(stage for stage in open_stages if not self._stages or stage in self._stages)
        return {ADVANCE: self._choice(stages), **self._fixed} if stages else self._fixed

    def _choice(self, stages: tuple[str, ...]) -> Arguments:
        """Cached, because creating one takes about as long as a statement."""
        if stages not in self._choices:
            self._choices[stages] = Arguments(ADVANCE, [("stage", Literal[stages], field())])
        return self._choices[stages]


def spec_of(name: str, parameters: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(name, _FOR_WHAT[name], parameters)


def decision_of(name: str, found: Mapping[str, Any]) -> Decision:
    if name == ADVANCE:
        return GoTo(found["stage"])
    return Refuse(found["reason"]) if name == REJECT else Again(found["reason"], found["delay"])
