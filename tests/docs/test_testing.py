"""The guide to testing is true: its tests pass as they stand, under pytest."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast.testing
from tests.docs.page import blocks, environment, links
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

PAGE = "guides/testing.md"
FILES = ("shop.py", "conftest.py", "test_shop.py")


@pytest.mark.slow
def test_the_tests_of_the_guide_pass(server_url: str, tmp_path: Path) -> None:
    for name, (_, text) in zip(FILES, blocks(PAGE, "python"), strict=True):
        (tmp_path / name).write_text(text)
    ((_, settings),) = blocks(PAGE, "toml")
    (tmp_path / "pyproject.toml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        env={**environment(server_url), "HOLDFAST_TEST_DATABASE_URL": server_url},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


def test_the_page_names_what_the_kit_has_for_tests_of_tasks() -> None:
    text = (ROOT / "docs" / PAGE).read_text()
    own = {"Answer", "ManualClock", "Refusal", "ToolCall", "in_turn"}  # in the guide to the model server
    assert [name for name in {*holdfast.testing.__all__} - own if not re.search(rf"\b{name}\b", text)] == []


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
