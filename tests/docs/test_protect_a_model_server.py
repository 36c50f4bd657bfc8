"""The guide's program runs as it stands, and its tables name what there is."""

import asyncio
import re
import sys

import pytest

from holdfast.client.endpoint import EndpointSettings
from holdfast.model.classify import BY_STATUS
from holdfast.model.outcome import ErrorClass
from tests.docs.page import blocks, environment
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/protect-a-model-server.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


@pytest.mark.slow
async def test_the_program_runs_and_loses_nothing(server_url: str) -> None:
    assert "'completed'>: 100" in await said_by(0, server_url)


async def test_a_run_stops_at_its_budget_until_that_is_raised(server_url: str) -> None:
    said = await said_by(1, server_url)
    assert said.splitlines() == ["5 done, 3 waiting for a larger budget", "8 done"]


async def said_by(place: int, server_url: str) -> str:
    _, program = blocks(PAGE, "python")[place]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program),
        env={**environment(server_url), "HOLDFAST_TEST_DATABASE_URL": server_url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, errors.decode()
    return said.decode()


def test_it_names_every_setting_and_every_permanent_status() -> None:
    names = EndpointSettings.__annotations__.keys() - {"start"}
    assert [name for name in names if f"`{name}" not in TEXT and f"`{name}=" not in TEXT] == []
    (permanent,) = re.findall(r"^\| ([\d ]+) \| `permanent`", TEXT, re.MULTILINE)
    expected = [status for status, found in BY_STATUS.items() if found is ErrorClass.PERMANENT]
    assert [int(status) for status in permanent.split()] == expected
