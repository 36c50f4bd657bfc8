"""The server in a thread of its own, for tests without an event loop."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from holdfast.model.error import Conflict, InvalidOption, WrongState
from holdfast.testing import ModelServer, in_turn
from tests.model_server.caller import CHAT, question
from tests.patience import PATIENCE

opener = build_opener(ProxyHandler({}))


def ask(url: str, text: str = "hello") -> str:
    body = json.dumps(question(text)).encode()
    with opener.open(
        Request(url + CHAT, body, {"Content-Type": "application/json"}), timeout=PATIENCE
    ) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def test_blocking_clients_are_served() -> None:
    with ModelServer.in_thread(slots=2, time_scale=20) as server:
        with ThreadPoolExecutor(8) as pool:
            answers = [*pool.map(lambda number: ask(server.url, str(number)), range(24))]
        assert answers == [f"echo: {number}" for number in range(24)]
        assert len(server.ledger) == 24
        assert 1 <= server.max_in_flight() <= 8


def test_a_change_holds_when_it_returns() -> None:
    with ModelServer.in_thread(base=0) as server:
        server.change(noise=1.0)
        with pytest.raises(HTTPError):
            ask(server.url)
        server.change(noise=0.0, outage="refused")
        with pytest.raises(URLError):
            ask(server.url)
        server.change(outage="none")
        assert ask(server.url) == "echo: hello"
        with pytest.raises(InvalidOption):
            server.change(slots=0)


def test_leaving_ends_the_thread_even_with_hanging_calls() -> None:
    before = threading.active_count()
    with ModelServer.in_thread(outage="hang") as server, ThreadPoolExecutor(1) as pool:
        call = pool.submit(ask, server.url)
        while server.ledger.in_flight == 0:
            assert not call.done()
        server.__exit__(None, None, None)
        assert isinstance(call.exception(10), OSError)
    assert threading.active_count() == before


def test_an_error_of_the_callback_is_raised_in_the_test() -> None:
    server = ModelServer.in_thread(base=0, answer=in_turn())
    server.__enter__()
    with pytest.raises(HTTPError):
        ask(server.url)
    with pytest.raises(AssertionError, match="asked 1 times"):
        server.__exit__(None, None, None)


def test_what_prevents_the_start_is_raised_in_the_test() -> None:
    with ModelServer.in_thread() as server:
        taken = int(server.url.rpartition(":")[2])
        with pytest.raises(Conflict, match=str(taken)):
            ModelServer.in_thread(port=taken).__enter__()
    with pytest.raises(InvalidOption):
        ModelServer.in_thread(slots=0).__enter__()


def test_a_server_that_does_not_run_says_so() -> None:
    server = ModelServer.in_thread()
    with pytest.raises(WrongState):
        _ = server.url
    with pytest.raises(WrongState):
        server.change(slots=1)
