"""What starts a worker: an HTTP POST or a command, told in JSON what the new worker is to do.

The standard library only: a worker must be able to hand over wherever it runs.
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

_started: list["subprocess.Popen[bytes]"] = []  # kept to be reaped: one that looks for lost ones lives on


class Callback(Protocol):
    """Raises CallbackFailed if no worker will come of it."""

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None: ...


class CallbackFailed(HoldfastError):
    """What starts workers could not be reached, or refused."""

    default_hint = "check the address or the command; whoever looks next for lost successors tries again"


@dataclass(frozen=True, slots=True)
class Post:
    """POST to a URL. Any 2xx will do.

    No answer in time counts as sent: a function may answer only when the worker in it has left.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidOption(
                f"{self.url!r} is not an address to POST to.", "write it as https://host/path"
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
            raise CallbackFailed(f"{self.url} broke off: {exc}.") from exc


@dataclass(frozen=True, slots=True)
class Command:
    """A command in the background, with the body on its stdin and the id in place of {continuation}."""

    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Command":
        try:
            words = tuple(shlex.split(text))
        except ValueError as exc:
            message = f"The command {text!r} cannot be read: {exc}."
            raise InvalidOption(message, "quote it as in a shell") from None
        if not words:
            raise InvalidOption("The command is empty.", "name what starts a worker")
        return cls(words)

    async def __call__(self, body: Body, within: timedelta = LONGEST) -> None:
        text, known = json.dumps(body), str(body.get("continuation", ""))
        words = [word.replace("{continuation}", known) for word in self.words]
        try:
            await asyncio.to_thread(_spawn, words, text, known)
        except OSError as exc:
            raise CallbackFailed(f"{words[0]} cannot be started: {exc.strerror or exc}.") from exc


@dataclass(frozen=True, slots=True)
class Call:
    """A function of yours: plain or async, given the body."""

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


Starter = str | Post | Command | Call | Callable[[Body], Any]


def callback_of(given: Starter | None) -> Callback | None:
    """An address to POST to, a command, or a function of yours."""
    match given:
        case None:
            return None
        case Post() | Command() | Call():
            return given
        case str() if given.startswith(("http://", "https://")):
            return Post(given)
        case str():
            return Command.parse(given)
        case _:
            return Call(given)


def _spawn(words: list[str], text: str, known: str) -> None:
    """In a session of its own: it must outlive us, and the signals that end us are not meant for it."""
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
        """The address is as it was given, or the call fails."""
