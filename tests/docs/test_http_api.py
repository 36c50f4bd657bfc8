"""The guide to the HTTP API is true: its server runs, its commands exist, its tables are complete."""

import re
import shlex
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import CODES, api_app
from holdfast.client.app import Holdfast
from tests.cli.command import holdfast
from tests.docs.page import blocks
from tests.repo.tree import ROOT

PAGE = "guides/http-api.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


async def test_the_server_of_the_page_answers(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    ((_, program),) = blocks(PAGE, "python")
    names: dict[str, Any] = {}
    exec(program, names)
    async with names["app"]:
        transport = ASGITransport(app=names["server"])
        async with AsyncClient(transport=transport, base_url="http://api") as http:
            assert (await http.get("/queue/readyz")).json() == {"status": "ok", "failing": []}


def test_the_commands_of_the_page_exist(database_url: str) -> None:
    ((_, lines),) = blocks(PAGE, "shell")
    _, create, serve = lines.splitlines()
    assert holdfast(*shlex.split(create)[1:], url=database_url).code == 0
    known = holdfast("serve", "--help").out
    options = re.findall(r"--[a-z-]+", serve) + re.findall(r"`(--[a-z-]+)`", TEXT)
    assert all(option in known for option in options)


async def test_every_route_and_code_is_on_the_page() -> None:
    app = Holdfast("postgresql://nobody@127.0.0.1:1/none")
    for path, methods in api_app(app).openapi()["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in TEXT
    assert all(f"`{code}`" in TEXT for code in CODES.values())
