"""Callbacks that start a worker: an HTTP POST, a command or a function, with the continuation as JSON.

Standard library only: a worker must be able to hand over in every environment.
"""

import asyncio
import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPResponse
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from holdfast.model.error import HoldfastError, InvalidOption

Body = Mapping[str, Any]
LONGEST = timedelta(seconds=10)

_started: list[
    "subprocess.Popen[bytes]"
] = []  # kept so that it is reaped: a worker that checks for lost successors lives on


class Callback(Protocol):
    """Raises CallbackFailed if this will not start a worker."""

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None: ...


class CallbackFailed(HoldfastError):
    """The callback that starts workers could not be reached, or failed."""

    default_hint = "check the URL or the command; the next check for lost successors tries again"


@dataclass(frozen=True, slots=True)
class HttpCallback:
    """POST to a URL; every 2xx is success.

    A timeout counts as sent, because a function may answer only when its worker has exited.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidOption(
                f"The URL that starts the next worker must be http or https, with a host (got {self.url!r}).",
                "write it as https://host/path",
            )

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None:
        seconds = max(0.05, within.total_seconds())
        try:
            async with asyncio.timeout(seconds):
                await asyncio.to_thread(self._send, json.dumps(body).encode(), seconds)
        except TimeoutError:
            return

    def _send(self, data: bytes, seconds: float) -> None:
        headers = {"Content-Type": "application/json", **self.headers}
        opener = build_opener(_NoRedirect)
        try:
            answer: HTTPResponse = opener.open(Request(self.url, data, headers), timeout=seconds)
            answer.close()
        except HTTPError as exc:
            exc.close()
            raise CallbackFailed(f"{self.url} answered {exc.code} {exc.reason}.") from exc
        except TimeoutError:
            return
        except URLError as exc:
            if not isinstance(exc.reason, TimeoutError):
                raise CallbackFailed(f"{self.url} cannot be reached: {exc.reason}.") from exc
        except OSError as exc:
            raise CallbackFailed(f"{self.url} closed the connection: {exc}.") from exc


@dataclass(frozen=True, slots=True)
class CommandCallback:
    """A command in the background, with the body on its stdin and the id in place of {continuation}."""

    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "CommandCallback":
        try:
            words = tuple(shlex.split(text))
        except ValueError as exc:
            message = f"The command that starts the next worker cannot be parsed: {exc} (got {text!r})."
            raise InvalidOption(message, "quote the command as in a shell") from None
        if not words:
            raise InvalidOption(
                "The command that starts the next worker must not be empty.",
                "give a command such as './start-worker.sh {continuation}'; Holdfast replaces {continuation} "
                "by the id that the next worker needs",
            )
        return cls(words)

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None:
        text, known = json.dumps(body), str(body.get("continuation", ""))
        words = [word.replace("{continuation}", known) for word in self.words]
        try:
            await asyncio.to_thread(_spawn, words, text, known)
        except OSError as exc:
            raise CallbackFailed(f"{words[0]} cannot be started: {exc.strerror or exc}.") from exc


@dataclass(frozen=True, slots=True)
class FunctionCallback:
    """A function of the app, plain or async, that receives the body."""

    function: Callable[[Body], Any]

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None:
        try:
            answer = self.function(body)
            if asyncio.iscoroutine(answer):
                async with asyncio.timeout(within.total_seconds()):
                    await answer
        except Exception as exc:
            message = f"The function that starts workers raised {type(exc).__name__}: {exc}."
            raise CallbackFailed(message) from exc


Starter = str | HttpCallback | CommandCallback | FunctionCallback | Callable[[Body], Any]


def callback_of(given: Starter | None) -> Callback | None:
    """A URL for a POST, a command, or a function of the app."""
    match given:
        case None:
            return None
        case HttpCallback() | CommandCallback() | FunctionCallback():
            return given
        case str() if given.startswith(("http://", "https://")):
            return HttpCallback(given)
        case str():
            return CommandCallback.parse(given)
        case _:
            return FunctionCallback(given)


def _spawn(words: list[str], text: str, known: str) -> None:
    """In its own session: it must outlive this process and not receive its signals."""
    process = subprocess.Popen(
        words,
        env={**os.environ, "HOLDFAST_CONTINUATION": known},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=None,
        start_new_session=True,
    )
    assert process.stdin is not None
    _started[:] = [child for child in _started if child.poll() is None] + [process]
    try:
        process.stdin.write(text.encode())
        process.stdin.close()
    except BrokenPipeError:
        return  # it does not read its stdin


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follows no redirect: the call fails instead."""
