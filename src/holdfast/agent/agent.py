"""An agent: a handler that asks a model, lets it call tools, and acts on its decision."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from holdfast.agent.agent_output import Output
from holdfast.agent.builtin_tools import Builtins
from holdfast.agent.open_agent import Instance
from holdfast.agent.prompt import Prompt, default_prompt
from holdfast.agent.server import ApiName, Server, ServerSettings, elsewhere
from holdfast.agent.toolbox import Toolbox
from holdfast.model.duration import Duration
from holdfast.model.error import InvalidOption
from holdfast.model.openable_handler import OpenableHandler

MAX_TURNS = 8
TIMEOUT = timedelta(minutes=5)


class Agent(OpenableHandler):
    """Made a task by `app.task(queue=…, endpoint=…)(Agent("triage", …))`.

    `tools` are typed functions, sync or async; their docstrings tell the model what they are for. `output` is
    what the stage leaves: a pydantic model or any annotation, checked when the model writes it; with None any
    JSON object, and with `str` the model's last words are the output. `stages` are where it may advance to,
    any stage of the pipeline if none are named. `prompt` makes the first message of payload and JobContext.
    Keys come from environment variables: `api_key_env` names that of the bearer key, `headers_env` maps
    further headers to variables; neither is ever stored. `options` are passed to the model as they are.
    `fallbacks` say, by endpoint, what differs for a job that runs on another endpoint than usual.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        url: str,
        api: ApiName = "openai",
        system: str | None = None,
        prompt: Prompt = default_prompt,
        tools: Sequence[Callable[..., Any]] = (),
        output: Any = None,
        stages: Sequence[str] = (),
        max_turns: int = MAX_TURNS,
        temperature: float | None = None,
        options: Mapping[str, Any] | None = None,
        timeout: Duration = TIMEOUT,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        headers_env: Mapping[str, str] | None = None,
        fallbacks: Mapping[str, ServerSettings] | None = None,
    ) -> None:
        self.name = name
        self.system = system
        self.prompt = prompt
        self.max_turns = _checked_turns(max_turns)
        self.toolbox = Toolbox(tools, Builtins(None if output is str else Output(output), stages))
        own: ServerSettings = {"model": model, "url": url, "api": api, "timeout": timeout}
        own |= {"temperature": temperature, "options": options}
        own |= {"api_key_env": api_key_env, "headers": headers, "headers_env": headers_env}
        self._server = Server.read(own)
        others = (fallbacks or {}).items()
        self._fallbacks = {name: Server.read(elsewhere(own, given)) for name, given in others}

    def __repr__(self) -> str:
        return f"<Agent {self.name}: {self._server.model}>"

    def open(self) -> Instance:
        return Instance(self)

    def server(self, endpoint: str | None) -> Server:
        """The server for a job whose permit belongs to that endpoint."""
        return self._server if endpoint is None else self._fallbacks.get(endpoint, self._server)


def _checked_turns(turns: int) -> int:
    if not 1 <= turns <= 1000:
        raise InvalidOption(f"max_turns must be between 1 and 1000 (got {turns}).", "the default is 8 turns")
    return turns
