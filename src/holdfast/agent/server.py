"""The server of a model: address, API and headers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypedDict
from urllib.parse import urlsplit

from holdfast.agent.chat_messages import Api
from holdfast.agent.http import ModelClient
from holdfast.agent.model import Model
from holdfast.agent.ollama import Ollama
from holdfast.agent.openai import OpenAI
from holdfast.agent.secrets import Secrets
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

ApiName = Literal["openai", "ollama"]

_APIS: dict[str, Api] = {"openai": OpenAI(), "ollama": Ollama()}
_AUTHORIZATION = "Authorization"


class ServerSettings(TypedDict, total=False):
    """The settings of an agent that select the model and its server."""

    model: str
    url: str
    api: ApiName
    temperature: float | None
    options: Mapping[str, Any] | None
    timeout: Duration
    api_key_env: str | None
    headers: Mapping[str, str] | None
    headers_env: Mapping[str, str] | None


@dataclass(frozen=True, slots=True, eq=False)
class Server:
    model: str
    api: Api
    address: str
    timeout: timedelta
    options: Mapping[str, Any]
    headers: Mapping[str, str]
    variables: Mapping[str, str]  # the environment variables with the values of more headers

    @classmethod
    def read(cls, settings: ServerSettings) -> "Server":
        """Raises InvalidOption for a wrong value."""
        api = _api(settings["api"])
        heat, key = settings.get("temperature"), settings.get("api_key_env")
        return cls(
            model=settings["model"],
            api=api,
            address=api.address(_checked_url(settings["url"])),
            timeout=parse_duration(settings["timeout"]),
            options={**(settings.get("options") or {}), **({} if heat is None else {"temperature": heat})},
            headers=dict(settings.get("headers") or {}),
            variables={
                **({} if key is None else {_AUTHORIZATION: key}),
                **(settings.get("headers_env") or {}),
            },
        )

    def connect(self) -> Model:
        """With a pool of its own; raises NotConfigured if this process lacks a key or the HTTP library."""
        secrets = Secrets(self.variables, {_AUTHORIZATION: "Bearer "})
        client = ModelClient(self.address, self.headers, secrets, self.timeout)
        return Model(self.model, self.api, self.options, client)


def elsewhere(own: ServerSettings, given: ServerSettings) -> ServerSettings:
    """The settings for another endpoint: missing ones are those of the agent, except for keys and headers."""
    unknown = given.keys() - ServerSettings.__annotations__.keys()
    if unknown:
        raise InvalidOption(
            f"Unknown setting of an agent's fallback: {', '.join(sorted(unknown))}.",
            f"the settings are {', '.join(ServerSettings.__annotations__)}",
        )
    shared: ServerSettings = {
        "model": own["model"],
        "url": own["url"],
        "api": own["api"],
        "timeout": own["timeout"],
        "temperature": own.get("temperature"),
        "options": own.get("options"),
    }
    return {**shared, **given}


def _api(name: str) -> Api:
    try:
        return _APIS[name]
    except KeyError:
        raise InvalidOption(
            f"api must be one of {', '.join(_APIS)} (got {name!r}).", "most model servers understand openai"
        ) from None


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidOption(
            "The url of an agent must be an http or https URL with a host.", "write it as http://host:port"
        )
    if parts.username or parts.password:
        raise InvalidOption(
            "The url of an agent must not contain a user name or a password.",
            "put the key into an environment variable, and name the variable in api_key_env or headers_env",
        )
    return url
