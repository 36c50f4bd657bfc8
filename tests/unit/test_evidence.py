"""What an exception tells of the endpoint: real classes where they are installed, else their like.

The stand-ins have the modules, names, bases and attributes of the libraries' own; nothing else is looked at.
"""

import http.client
import socket
import ssl
import urllib.error
from collections.abc import Callable
from email.message import Message
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from holdfast.model.end_attempt import EndpointFailed, Permanent, Retry
from holdfast.model.error import DatabaseUnavailable, ModelFailed, TooManyTurns
from holdfast.model.evidence import Evidence, evidence_in

GOOD, BAD = Evidence.GOOD, Evidence.BAD
STATUSES = [
    *[(status, GOOD) for status in (200, 204, 302, 400, 401, 403, 404, 409, 413, 422, 451)],
    *[(status, BAD) for status in (408, 429, 500, 502, 503, 504, 529)],
]


def like(path: str, *bases: type[BaseException]) -> Any:
    """A class of that module, name and bases."""
    module, name = path.rsplit(".", 1)
    return type(name, bases or (Exception,), {"__module__": module})


def carrying(exc: BaseException, **attributes: Any) -> BaseException:
    for name, value in attributes.items():
        setattr(exc, name, value)
    return exc


def by_httpx2(status: int) -> BaseException:
    request = httpx2.Request("POST", "http://model")
    return httpx2.HTTPStatusError(
        "refused", request=request, response=httpx2.Response(status, request=request)
    )


def by_requests(status: int) -> BaseException:
    kind = like("requests.exceptions.HTTPError", like("requests.exceptions.RequestException", OSError))
    return carrying(kind(f"{status} refused"), response=SimpleNamespace(status_code=status, headers={}))


def by_aiohttp(status: int) -> BaseException:
    """A ContentTypeError is one too, of an answer with 200 that is no JSON."""
    kind = like(
        "aiohttp.client_exceptions.ClientResponseError", like("aiohttp.client_exceptions.ClientError")
    )
    return carrying(kind("refused"), status=status, headers=None)


def by_openai(status: int) -> BaseException:
    kind = like("openai.APIStatusError", like("openai.APIError", like("openai.OpenAIError")))
    answer = SimpleNamespace(status_code=status, headers={})
    return carrying(kind("refused"), response=answer, status_code=status)


def by_our_client(status: int) -> BaseException:
    return ModelFailed("refused", status=status)


@pytest.mark.parametrize("make", [by_httpx2, by_requests, by_aiohttp, by_openai, by_our_client])
@pytest.mark.parametrize(("status", "evidence"), STATUSES)
def test_an_answer_is_good_or_bad_by_its_status(
    make: Callable[[int], BaseException], status: int, evidence: Evidence
) -> None:
    assert evidence_in(make(status)) is evidence


@pytest.mark.parametrize(("status", "evidence"), [one for one in STATUSES if one[0] >= 400])
def test_so_is_one_that_urllib_raises(status: int, evidence: Evidence) -> None:
    assert evidence_in(urllib.error.HTTPError("http://model", status, "no", Message(), None)) is evidence


HTTPX_TRANSPORT = like("httpx.TransportError", like("httpx.RequestError", like("httpx.HTTPError")))
AIOHTTP_CONNECTION = like("aiohttp.client_exceptions.ClientConnectionError")
NO_ANSWERS = [
    httpx2.ConnectError("refused"),
    httpx2.ReadTimeout("too slow"),
    httpx2.RemoteProtocolError("cut off"),
    like("httpx.ConnectTimeout", like("httpx.TimeoutException", HTTPX_TRANSPORT))(),
    like("requests.exceptions.ConnectionError", OSError)(),
    like("requests.exceptions.ReadTimeout", like("requests.exceptions.Timeout", OSError))(),
    like("aiohttp.client_exceptions.ServerDisconnectedError", AIOHTTP_CONNECTION)(),
    like("aiohttp.client_exceptions.ClientConnectorError", OSError, AIOHTTP_CONNECTION)(),
    like("aiohttp.client_exceptions.ClientPayloadError")(),
    like("openai.APITimeoutError", like("openai.APIConnectionError"))(),
    urllib.error.URLError("no route"),
    http.client.RemoteDisconnected("closed"),
    http.client.IncompleteRead(b""),
    socket.gaierror(-2, "unknown host"),
    ssl.SSLError("bad certificate"),
    ConnectionRefusedError(111, "refused"),
    TimeoutError(),
    OSError(113, "No route to host"),
    OSError("Multiple exceptions: refused, refused"),
    ModelFailed("no answer", endpoint_ok=False),
]


@pytest.mark.parametrize("exc", NO_ANSWERS, ids=lambda exc: f"{type(exc).__module__}.{type(exc).__name__}")
def test_no_connection_and_no_answer_are_bad(exc: BaseException) -> None:
    assert evidence_in(exc) is BAD


@pytest.mark.parametrize(
    "exc",
    [
        ValueError("what the model said is no JSON"),
        FileNotFoundError(2, "no such file"),
        OSError(28, "No space left on device"),
        Retry("not yet"),
        Permanent("never"),
        TooManyTurns("no end"),
        SystemExit(500),
        carrying(ValueError(), code=200),
        carrying(ValueError(), status="500"),
    ],
    ids=repr,
)
def test_other_exceptions_tell_nothing(exc: BaseException) -> None:
    assert evidence_in(exc) is None


def test_a_handler_says_it_itself() -> None:
    assert evidence_in(EndpointFailed("it says sorry")) is BAD
    assert evidence_in(Retry("what it said is no JSON", endpoint_ok=True)) is GOOD
    assert evidence_in(Retry("it said sorry", endpoint_ok=False)) is BAD
    assert evidence_in(carrying(ValueError(), endpoint_ok=True)) is GOOD


def raised(raise_: Callable[[BaseException], None], cause: BaseException) -> BaseException:
    """What it raises while the cause is being handled."""

    def handle() -> None:
        try:
            raise cause
        except Exception as exc:
            raise_(exc)

    try:
        handle()
    except Exception as exc:
        return exc
    raise AssertionError("it raised nothing")


def _from(exc: BaseException) -> None:
    raise Retry("the server failed") from exc


def _within(_: BaseException) -> None:
    raise RuntimeError("while it was handled")


def _hiding(_: BaseException) -> None:
    raise Permanent("never mind why") from None


def _said(exc: BaseException) -> None:
    raise Retry("it only looks like that", endpoint_ok=True) from exc


@pytest.mark.parametrize("raise_", [_from, _within, _hiding])
def test_what_was_being_handled_tells_it_too(raise_: Callable[[BaseException], None]) -> None:
    assert evidence_in(raised(raise_, by_httpx2(500))) is BAD
    assert evidence_in(raised(raise_, by_httpx2(404))) is GOOD
    assert evidence_in(raised(raise_, TimeoutError())) is BAD
    assert evidence_in(raised(raise_, KeyError("choices"))) is None


def test_the_nearest_one_that_tells_something_wins() -> None:
    assert evidence_in(raised(_said, by_httpx2(500))) is GOOD


def test_what_a_task_group_collected_tells_it() -> None:
    assert evidence_in(BaseExceptionGroup("two", [ValueError(), by_httpx2(503)])) is BAD


def test_an_outage_of_our_own_database_says_nothing_of_the_endpoint() -> None:
    def _ours(exc: BaseException) -> None:
        raise DatabaseUnavailable("gone") from exc

    assert evidence_in(raised(_ours, ConnectionResetError())) is None


def test_a_chain_that_bites_its_tail_ends() -> None:
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert evidence_in(one) is None


def test_a_property_that_raises_does_not_hide_the_failure() -> None:
    class EvilError(Exception):
        @property
        def endpoint_ok(self) -> bool:
            raise RuntimeError

        @property
        def response(self) -> None:
            raise RuntimeError

    assert evidence_in(EvilError()) is None
