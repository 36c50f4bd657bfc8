"""The guide to migrating shows the files of its example, which tests/examples/test_roll_out.py runs."""

import configparser
import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from examples.roll_out.new_worker import HERE
from holdfast.cli.frame.command_list import COMMANDS, Noun, build
from holdfast.model.import_mapping import KEYS
from tests.docs.page import blocks, links
from tests.repo.tree import ROOT

PAGE = "guides/migrating.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
UNIT = ROOT / "deploy" / "holdfast-worker.service"


@pytest.mark.parametrize(
    ("language", "ending"), [("sql", "sql"), ("toml", "toml"), ("sh", "sh"), ("python", "py")]
)
def test_the_guide_shows_the_files_of_the_example(language: str, ending: str) -> None:
    shown = [text for _, text in blocks(PAGE, language) if text.count("\n") > 3]
    files = [path.read_text() for path in HERE.glob(f"*.{ending}")]
    assert [text for text in shown if text not in files] == []
    assert shown


def test_the_unit_starts_a_worker_again() -> None:
    assert blocks(PAGE, "ini") == [("Phase 2: side by side", UNIT.read_text())]
    unit = configparser.ConfigParser()
    unit.read_string(UNIT.read_text())
    command, *words = shlex.split(unit["Service"]["ExecStart"])
    assert (command.endswith("/holdfast"), unit["Service"]["Restart"]) == (True, "always")
    commands: dict[str, Any] = getattr(get_command(build({words[0]})), "commands", {})
    known = {one for param in commands[words[0]].params for one in param.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_every_verb_and_every_key_of_a_mapping_is_on_the_page() -> None:
    (noun,) = [one for one in COMMANDS if isinstance(one, Noun) and one.name == "rollouts"]
    assert [verb for verb in noun.verbs if f"`holdfast rollouts {verb}" not in TEXT] == []
    rows = " ".join(re.findall(r"^\| (`.*?`) \|", TEXT, re.MULTILINE))
    assert [key for key in KEYS if f"`{key}`" not in rows] == []


def test_the_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
