"""The client of the HTTP workload: it tells a refusal from silence, and goes on to the next replica."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from chaos.http_api import HttpApi, Refused, Replicas, Unanswered


@contextmanager
def answering(status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"path": self.path, "key": self.headers["Authorization"]}).encode()
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not to the tests' output."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("broken", [None, 503, 429])
def test_a_call_without_a_useful_answer_is_unanswered_and_the_next_replica_is_called(
    broken: int | None,
) -> None:
    with answering(200) as good, answering(broken or 200) as bad:
        api = HttpApi(Replicas([bad if broken else "http://127.0.0.1:1", good], "secret"))
        with pytest.raises(Unanswered):
            api.post("/jobs", {})
        assert api.post("/jobs", {}) == {"path": "/api/v1/jobs", "key": "Bearer secret"}


def test_a_refusal_is_an_answer() -> None:
    with answering(409) as url, pytest.raises(Refused) as caught:
        HttpApi(Replicas([url], "secret")).post("/jobs", {})
    assert caught.value.status == 409
