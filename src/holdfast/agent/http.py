"""Calls to a model server; the only module that uses the HTTP library."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from holdfast.agent.secrets import Secrets
from holdfast.model.error import ModelFailed, NotConfigured
from holdfast.model.storable_text import storable
from holdfast.telemetry.tracer import carrier_here

if TYPE_CHECKING:
    import httpx2

CONNECT_WITHIN = 10.0
IDLE_FOR = 30.0
MOST_IDLE = 100
MOST_BYTES = 16 * 1024 * 1024
# Characters of a server's error message.
MOST_WORDS = 500


class ModelClient:
    """A connection pool for one address. Endpoints and slots limit how many connections are used."""

    def __init__(
        self, address: str, headers: Mapping[str, str], secrets: Secrets, timeout: timedelta
    ) -> None:
        self._library = _load()
        self._address = address
        self._place = _without_secrets(address)
        self._secrets = secrets
        self._timeout = timeout.total_seconds()
        limits = self._library.Limits(
            max_connections=None, max_keepalive_connections=MOST_IDLE, keepalive_expiry=IDLE_FOR
        )
        self._client: httpx2.AsyncClient = self._library.AsyncClient(
            headers={**headers, **secrets.headers},
            timeout=self._library.Timeout(self._timeout, connect=min(CONNECT_WITHIN, self._timeout)),
            limits=limits,
        )

    @property
    def place(self) -> tuple[str | None, int | None]:
        """Host and port, as far as the address names them."""
        parts = urlsplit(self._address)
        return parts.hostname, parts.port

    async def post(self, body: Mapping[str, Any], key: str) -> dict[str, Any]:
        """The answer's JSON object; raises ModelFailed, with status and headers if there was an answer."""
        try:
            # The library's own timeout is per chunk, and a server may send one byte at a time.
            async with asyncio.timeout(self._timeout):
                status, headers, data = await self._send(body, key)
        except (TimeoutError, self._library.TimeoutException):
            message = f"{self._place} did not answer within {self._timeout:g} s."
            raise ModelFailed(message, endpoint_ok=False) from None
        except (self._library.HTTPError, self._library.InvalidURL) as exc:
            message = f"{self._place} did not answer: {self._words(exc)}."
            raise ModelFailed(message, endpoint_ok=False) from None
        return self._read(status, headers, data)

    async def close(self) -> None:
        await self._client.aclose()

    async def _send(self, body: Mapping[str, Any], key: str) -> tuple[int, dict[str, str], bytes]:
        content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
        # With tracing on, the server's own spans belong to the span of this call.
        headers = {"Content-Type": "application/json", "Idempotency-Key": key, **(carrier_here() or {})}
        sending = self._client.stream("POST", self._address, content=content, headers=headers)
        async with sending as response:
            data = await _bounded(response.aiter_bytes())
            return response.status_code, dict(response.headers), data

    def _read(self, status: int, headers: dict[str, str], data: bytes) -> dict[str, Any]:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if not 200 <= status <= 299:
            raise self._failed(status, headers, _complaint(document) or data.decode(errors="replace"))
        if not isinstance(document, dict):
            message = f"{self._place} answered {status}, but not with a JSON object."
            raise ModelFailed(message, endpoint_ok=False)
        if document.get("error"):
            # An error inside an answer of 200; some servers include the intended status.
            raise self._failed(_status_in(document), headers, _complaint(document))
        return document

    def _failed(self, status: int | None, headers: dict[str, str], words: str) -> ModelFailed:
        answered = "an error" if status is None else str(status)
        said = storable(self._secrets.redact(" ".join(words.split())), MOST_WORDS)
        message = f"{self._place} answered {answered}" + (f": {said}" if said else ".")
        # An error without a status came inside an answer of 200.
        return ModelFailed(message, status=status, headers=headers, endpoint_ok=None if status else False)

    def _words(self, exc: Exception) -> str:
        said = self._secrets.redact(str(exc)).rstrip(".")
        return f"{type(exc).__name__}: {said}" if said else type(exc).__name__


def _load() -> ModuleType:
    try:
        import httpx2
    except ImportError:
        raise NotConfigured(
            "Agents need the package httpx2, which is not installed.",
            "install it where the worker runs: pip install 'holdfast-queue[agents]'",
        ) from None
    _silence(logging.getLogger("httpx2"))
    return httpx2


def _silence(library: logging.Logger) -> None:
    """The library logs every call with its full URL, including keys. Set the level of its logger to see them,
    or that of the root logger to debug.
    """
    if library.level == logging.NOTSET and not logging.getLogger().isEnabledFor(logging.DEBUG):
        library.setLevel(logging.WARNING)


async def _bounded(pieces: AsyncIterator[bytes]) -> bytes:
    data = bytearray()
    async for piece in pieces:
        data += piece
        if len(data) > MOST_BYTES:
            raise ModelFailed(
                f"The model server's answer is longer than {MOST_BYTES:,} bytes.",
                "tell the model in the system prompt to answer more briefly",
                endpoint_ok=True,
            )
    return bytes(data)


def _without_secrets(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _complaint(document: object) -> str:
    """A server's error message: {"error": "…"} or {"error": {"message": "…"}}, and similar."""
    if not isinstance(document, dict):
        return ""
    error = document.get("error") or document.get("detail") or document.get("message")
    if isinstance(error, dict):
        error = error.get("message") or error
    return error if isinstance(error, str) else json.dumps(error)


def _status_in(document: Mapping[str, Any]) -> int | None:
    error = document.get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else None
