"""A model on its server: messages in, an answer out."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.agent.chat_messages import Api, Message, ModelAnswer
from holdfast.agent.http import ModelClient
from holdfast.agent.tool_spec import ToolSpec
from holdfast.model.error import ModelFailed


class Model:
    __slots__ = ("_api", "_client", "_options", "name", "provider")

    def __init__(self, name: str, api: Api, options: Mapping[str, Any], client: ModelClient) -> None:
        self.name = name
        self.provider = api.provider
        self._api = api
        self._options = options
        self._client = client

    @property
    def place(self) -> tuple[str | None, int | None]:
        """Host and port of its server."""
        return self._client.place

    async def ask(self, messages: Sequence[Message], tools: Sequence[ToolSpec], key: str) -> ModelAnswer:
        """Raises ModelFailed."""
        body = self._api.body(self.name, messages, tools, self._options)
        document = await self._client.post(body, key)
        try:
            return self._api.read(document)
        except RecursionError:
            raise ModelFailed(f"The answer of {self.name} is nested too deeply.", endpoint_ok=True) from None

    async def close(self) -> None:
        await self._client.close()
