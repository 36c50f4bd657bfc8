"""A model server to play with: slow, sometimes broken or busy, and it keeps a ledger of every call."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

FAILS = 0.08
IS_BUSY = 0.04
FASTEST = 0.020
SLOWEST = 0.150
LONGEST_BODY = 64 * 1024


@dataclass(slots=True)
class Ledger:
    """What was asked, by idempotency key: how often, what came of it, and the one answer."""

    calls: Counter[str] = field(default_factory=Counter)
    answers: dict[str, str] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    answered_again: int = 0

    @property
    def repeated(self) -> int:
        """Calls beyond the first of each key."""
        return self.calls.total() - len(self.calls)


class ModelServer:
    """Speaks enough HTTP and enough of the chat API; on loopback, on a free port."""

    def __init__(self, fails: float = FAILS, is_busy: float = IS_BUSY) -> None:
        """`fails`: the share of calls that get a 500; `is_busy`: that get a 429."""
        self.ledger = Ledger()
        self._fails = fails
        self._is_busy = is_busy
        self._server: asyncio.Server | None = None
        self._chance = random.Random()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("the model server is not started")
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1/chat/completions"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request per connection. A killed worker hangs up in the middle, which is no error here."""
        try:
            key, question = await _read(reader)
            await asyncio.sleep(self._chance.uniform(FASTEST, SLOWEST))
            status, headers, body = self._reply(key, question)
            writer.write(_response(status, headers, body))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _reply(self, key: str, question: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        self.ledger.calls[key] += 1
        status = self._status()
        self.ledger.statuses[status] += 1
        if status == 429:
            return status, {"Retry-After": "1"}, {"error": {"message": "too many requests"}}
        if status == 500:
            return status, {}, {"error": {"message": "the model fell over"}}
        return status, {}, _completion(self._answer(key, question))

    def _status(self) -> int:
        throw = self._chance.random()
        if throw < self._fails:
            return 500
        return 429 if throw < self._fails + self._is_busy else 200

    def _answer(self, key: str, question: str) -> str:
        """Unguessable, so that only the one who was answered can know it; the same for the same key."""
        if key in self.ledger.answers:
            self.ledger.answered_again += 1
        else:
            self.ledger.answers[key] = f"{question} -> {self._chance.getrandbits(64):016x}"
        return self.ledger.answers[key]


async def _read(reader: asyncio.StreamReader) -> tuple[str, str]:
    """The idempotency key and the question."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")[1:]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = min(int(headers.get("content-length", 0)), LONGEST_BODY)
    document = json.loads(await reader.readexactly(length))
    return headers.get("idempotency-key", ""), document["messages"][-1]["content"]


def _completion(answer: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"total_tokens": len(answer)},
    }


def _response(status: int, headers: dict[str, str], body: dict[str, Any]) -> bytes:
    payload = json.dumps(body).encode()
    lines = [
        f"HTTP/1.1 {status} {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(payload)}",
    ]
    lines += ["Connection: close", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + payload
