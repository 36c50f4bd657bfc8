"""The guide's programs run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.testing.model_server.behaviour import READERS
from tests.patience import PATIENCE

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "simulate-a-model-server.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_the_guide_runs(program: str, server_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "HOLDFAST_TEST_DATABASE_URL": server_url},
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    if "main()" in program:
        assert "'completed'>: 20" in done.stdout
        assert "noise" in done.stdout


def test_the_guide_names_every_option() -> None:
    assert [name for name in READERS if f"`{name}`" not in GUIDE.read_text("utf-8")] == []
