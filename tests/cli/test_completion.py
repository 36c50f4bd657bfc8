"""Completion in the shell: it knows every command, though only the one that is called is imported."""

from collections.abc import Callable

import pytest

from holdfast.cli.frame.command_list import COMMANDS
from tests.cli.command import Result, holdfast_process

Ask = Callable[[str], set[str]]

ALL = {command.name for command in COMMANDS}


def asked_by_bash(line: str) -> set[str]:
    words = line.split(" ")
    return set(_ask("bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)).lines)


def asked_by_fish(line: str) -> set[str]:
    answer = _ask("fish", _TYPER_COMPLETE_ARGS=line, _TYPER_COMPLETE_FISH_ACTION="get-args")
    return {one.split("\t")[0] for one in answer.lines}


def _ask(shell: str, **more: str) -> Result:
    more["_HOLDFAST_COMPLETE"] = f"complete_{shell}"
    return holdfast_process(url=None, stdin="", cwd=None, **more)


@pytest.mark.parametrize("ask", [asked_by_bash, asked_by_fish])
def test_every_command_is_offered(ask: Ask) -> None:
    assert ask("holdfast ") >= ALL


@pytest.mark.slow
@pytest.mark.parametrize("ask", [asked_by_bash, asked_by_fish])
def test_the_commands_below_a_command_are_offered(ask: Ask) -> None:
    below = {"list", "show", "groups", "note", "assign", "resolve", "replay", "export"}
    assert ask("holdfast dead ") >= below
    assert ask("holdfast dead re") == {"resolve", "replay"}


def test_options_are_offered() -> None:
    assert "--fingerprint" in asked_by_bash("holdfast dead replay --f")
