"""The ways to start a worker: a POST and a command."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from holdfast.model.error import InvalidOption
from holdfast.worker.time_box import callback
from holdfast.worker.time_box.callback import CallbackFailed, CommandCallback, HttpCallback
from tests.patience import PATIENCE
from tests.worker.working import until


@contextmanager
def a_server(status: int) -> Iterator[tuple[str, list[Any]]]:
    """Keeps what it was sent: headers and body."""
    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((dict(self.headers), json.loads(body)))
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/start", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def test_a_post_carries_the_body_and_the_headers() -> None:
    with a_server(202) as (url, got):
        await HttpCallback(url, {"Authorization": "Bearer x"})({"continuation": "c", "index": 3})
    ((headers, body),) = got
    assert (headers["Authorization"], headers["Content-Type"]) == ("Bearer x", "application/json")
    assert body == {"continuation": "c", "index": 3}


@pytest.mark.parametrize("status", [302, 404, 503])
async def test_an_answer_that_is_no_success_is_a_failure_and_no_redirect_is_followed(status: int) -> None:
    with a_server(status) as (url, _), pytest.raises(CallbackFailed, match=str(status)):
        await HttpCallback(url)({"continuation": "c"})


async def test_nobody_there_is_a_failure_but_a_late_answer_is_none() -> None:
    with pytest.raises(CallbackFailed):
        await HttpCallback("http://127.0.0.1:1/")({"continuation": "c"})
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls, and answers none
        port = silent.getsockname()[1]
        await HttpCallback(f"http://127.0.0.1:{port}/")({"continuation": "c"}, timedelta(milliseconds=200))


async def test_a_command_gets_the_body_on_stdin_and_the_id_in_its_words(tmp_path: Path) -> None:
    program = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    target = tmp_path / "{continuation}.json"
    await CommandCallback((sys.executable, "-c", program, str(target)))(
        {"continuation": "c7", "remaining": 4}
    )

    async def written() -> str:
        found = tmp_path / "c7.json"
        return found.read_text() if found.exists() else ""  # opened, then written

    assert json.loads(await until(written)) == {"continuation": "c7", "remaining": 4}
    callback._started[-1].wait(PATIENCE)


async def test_a_command_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(CallbackFailed):
        await CommandCallback.parse("no-such-program --continuation {continuation}")({"continuation": "c"})


@pytest.mark.parametrize("given", ["ftp://host/x", "https://"])
def test_an_address_that_nobody_can_post_to_is_refused(given: str) -> None:
    with pytest.raises(InvalidOption):
        HttpCallback(given)


@pytest.mark.parametrize("given", ["", "'unclosed"])
def test_a_command_that_cannot_be_read_is_refused(given: str) -> None:
    with pytest.raises(InvalidOption):
        CommandCallback.parse(given)
