"""What a platform for functions does: starts a process when it gets a POST. It can also kill one."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]


class Platform:
    """At most `most` functions at once; beyond that a POST gets 429, and the caller tries again later."""

    def __init__(
        self, environment: Mapping[str, str], logs: Path, arguments: Sequence[str], most: int
    ) -> None:
        self._environment = {**os.environ, **environment}
        self._logs = logs
        self._arguments = arguments
        self._most = most
        self._lock = threading.Lock()
        self._functions: list[subprocess.Popen[bytes]] = []
        self.started = 0

    def __enter__(self) -> Self:
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(202 if platform.start(body) else 429)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_request(self, code: object = "-", size: object = "-") -> None:
                """Not on the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, name="platform", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        with self._lock:
            for function in self._functions:
                function.kill()
                function.wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    @property
    def alive(self) -> int:
        with self._lock:
            return sum(function.poll() is None for function in self._functions)

    def start(self, body: bytes) -> bool:
        json.loads(body)
        with self._lock:
            if sum(function.poll() is None for function in self._functions) >= self._most:
                return False
            self.started += 1
            module = "examples.analysis_runs.function_process"
            command = [sys.executable, "-m", module, self.url, *self._arguments]
            with (self._logs / f"worker-{self.started}.log").open("wb") as log:
                function = subprocess.Popen(
                    command, cwd=ROOT, env=self._environment, stdin=subprocess.PIPE, stdout=log, stderr=log
                )
            self._functions.append(function)
        assert function.stdin is not None
        with function.stdin:
            function.stdin.write(body)
        return True

    def kill(self, pid: int) -> bool:
        """kill -9, if that is one of ours and still lives."""
        with self._lock:
            found = [one for one in self._functions if one.pid == pid and one.poll() is None]
            for function in found:
                function.kill()
            return bool(found)
