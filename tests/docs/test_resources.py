"""The guide to resources and wrappers is true: its programs run, against a server and a database."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import asyncpg
import pytest

from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/resources.md"
RESOURCES, AROUND = [text for _, text in blocks(PAGE, "python")]


class Rates(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"rate": 1.25 if self.path == "/rates/EUR" else None}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Not on the standard error."""


@contextmanager
def rates_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Rates) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
async def test_the_program_fetches_and_stores_a_rate(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    for _, statement in blocks(PAGE, "sql"):
        await conn.execute(statement)
    with rates_server() as url:
        assert run(RESOURCES, database_url, RATES_URL=url) == ["1.25"]
    stored = await conn.fetch("select currency, rate::float8 from rates")
    await conn.close()
    assert [tuple(row) for row in stored] == [("EUR", 1.25)]


@pytest.mark.slow
def test_the_wrapper_reports_both_attempts(database_url: str) -> None:
    assert run(AROUND, database_url) == [
        "divide, attempt 1: ZeroDivisionError('division by zero')",
        "divide, attempt 2: done",
        "0.25",
    ]


def run(program: str, database_url: str, **more: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**environment(database_url), **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    said = [line for line in done.stderr.splitlines() if not line.startswith("job.failed ")]
    assert (done.returncode, said) == (0, [])
    return done.stdout.splitlines()


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
