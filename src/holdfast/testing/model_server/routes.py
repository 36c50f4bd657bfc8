"""Which path is served by what."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from holdfast.model.error import InvalidOption
from holdfast.testing.model_server.dialect import Dialect
from holdfast.testing.model_server.exchange import Exchange, House, read_object
from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.http_error import HttpError
from holdfast.testing.model_server.http_read import Head
from holdfast.testing.model_server.http_write import Wire
from holdfast.testing.model_server.ollama import chat_dialect, generate_dialect, tag_list
from holdfast.testing.model_server.openai import OpenAI, model_list

DIALECTS: Mapping[str, Dialect] = {
    "/v1/chat/completions": OpenAI(),
    "/api/chat": chat_dialect(),
    "/api/generate": generate_dialect(),
}
PAGE = 500


class Control(Protocol):
    """What clients may change: the server itself."""

    def apply(self, changes: Mapping[str, object]) -> Mapping[str, Any]: ...


class Routes:
    def __init__(self, house: House, models: tuple[str, ...], control: Control) -> None:
        self._house = house
        self._control = control
        self._plain: dict[tuple[str, str], Callable[[bytes], Mapping[str, Any]]] = {
            ("GET", "/"): lambda _: {"holdfast": "a simulated model server", "paths": self._paths()},
            ("GET", "/v1/models"): lambda _: model_list(models),
            ("GET", "/api/tags"): lambda _: tag_list(models),
            ("GET", "/phase"): lambda _: house.simulation.behaviour.document(),
            ("POST", "/phase"): self._change,
        }
        self._long: dict[tuple[str, str], Callable[[Wire], Awaitable[None]]] = {
            ("GET", "/ledger"): self._ledger
        }

    async def serve(self, head: Head, body: bytes, wire: Wire, why: Callable[[], Fate]) -> None:
        route = head.method, head.path
        if head.method == "POST" and head.path in DIALECTS:
            await self._call(head, body, wire, why)
        elif route in self._plain:
            await wire.send_json(200, self._plain[route](body), {})
        elif route in self._long:
            await self._long[route](wire)
        else:
            self._miss(head)

    async def _call(self, head: Head, body: bytes, wire: Wire, why: Callable[[], Fate]) -> None:
        exchange = Exchange(self._house, DIALECTS[head.path], wire, head.path, head.headers)
        try:
            await exchange.run(body)
        finally:
            exchange.abandon(why())

    def _change(self, body: bytes) -> Mapping[str, Any]:
        try:
            return self._control.apply(read_object(body))
        except InvalidOption as exc:
            raise HttpError(400, f"{exc.message} Hint: {exc.hint}") from exc

    async def _ledger(self, wire: Wire) -> None:
        """JSON lines, some hundred at a time: all of a long run at once would be tens of megabytes."""
        calls = self._house.ledger.calls
        await wire.write(wire.stream_head("application/x-ndjson"))
        for begin in range(0, len(calls), PAGE):
            lines = "".join(f"{call.line()}\n" for call in calls[begin : begin + PAGE])
            await wire.write(wire.piece(lines.encode()))
        await wire.write(wire.stream_end())

    def _miss(self, head: Head) -> None:
        methods = sorted(method for method, path in self._known() if path == head.path)
        if methods:
            raise HttpError(405, f"{head.path} is served for {' and '.join(methods)} only.")
        raise HttpError(404, f"There is no such path here. These are: {', '.join(self._paths())}.")

    def _paths(self) -> list[str]:
        return [f"{method} {path}" for method, path in self._known()]

    def _known(self) -> list[tuple[str, str]]:
        return [*(("POST", path) for path in DIALECTS), *self._plain, *self._long]
