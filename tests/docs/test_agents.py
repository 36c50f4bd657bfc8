"""The guide's program runs as it stands, and its tables name what there is."""

import asyncio
import inspect
import re
import sys

from holdfast.agent.agent import Agent
from holdfast.agent.builtin_tools import NAMES
from holdfast.db.connect import Connection
from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/agents.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


async def test_the_program_runs_and_each_post_goes_its_way(server_url: str) -> None:
    ((_, program),) = blocks(PAGE, "python")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program),
        env={**environment(server_url), "HOLDFAST_TEST_DATABASE_URL": server_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, errors.decode()
    first, second, third = said.decode().splitlines()
    assert first.startswith("boats: completed, BOATS, ")
    assert second.startswith("urgent boats: completed, URGENT BOATS, ")
    assert third.startswith("spam: cheap boats: rejected, an advertisement, ")


async def test_the_statement_runs(conn: Connection) -> None:
    ((_, statement),) = blocks(PAGE, "sql")
    assert await conn.fetch(statement) == []


def test_it_names_every_setting_and_every_built_in_tool() -> None:
    parameters = inspect.signature(Agent).parameters.keys() - {"name"}
    settings = TEXT.partition("## Settings")[2]
    assert [name for name in parameters if f"`{name}`" not in settings] == []
    assert re.findall(r"^\| `(\w+)\(", TEXT, re.MULTILINE) == list(NAMES)


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
