"""Whether a place or a test that a requirement names exists.

A place is one of

    docs/guides/agents.md         a file or folder of the repository
    holdfast worker --lease       a command, with or without an option
    ./dev bench                   a command of ./dev
    holdfast.claim_jobs           a function, view or table of the schema
    holdfast.jobs.priority        a column of a table or view
    Holdfast.run, Stage(retry=)   a public name of the package, or a parameter of it

A test is a path below tests/, with or without ::its_name, or chaos:FAULT. `sql/claim_jobs` are the tests of
that function, be they a folder or the file sql/test_claim_jobs.py.
"""

import inspect
import re
from functools import cache
from typing import Any

from typer.main import get_command

import holdfast
from holdfast.cli.frame.command_list import COMMANDS, build
from tests.proof.test_registry import exists
from tests.repo.tree import ROOT, SQL


def place_exists(place: str) -> bool:
    if place.startswith("holdfast "):
        return _command_exists(place.split()[1:])
    if place.startswith("./dev "):
        return place.removeprefix("./dev ") in _dev_commands()
    if place.startswith("holdfast."):
        return _sql_exists(*place.split(".")[1:])
    if "/" in place or place.endswith(".md"):
        return (ROOT / place).exists()
    return _name_exists(place)


def test_exists(test: str) -> bool:
    if test.startswith("chaos:") or "::" in test:
        return exists(test)
    path = ROOT / "tests" / test
    return path.exists() or path.with_name(f"test_{path.name}.py").exists()


def _command_exists(words: list[str]) -> bool:
    command = _command_line()
    for word in words:
        if word.startswith("--"):
            return any(word in param.opts for param in command.params)
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            return False
    return True


@cache
def _command_line() -> Any:
    return get_command(build({command.name for command in COMMANDS}))


@cache
def _dev_commands() -> set[str]:
    return set(re.findall(r"^  ([a-z]+) ", (ROOT / "dev").read_text(), re.MULTILINE))


def _sql_exists(name: str, column: str = "") -> bool:
    text = _sql_of(name)
    return bool(text) and re.search(rf"\b{column}\b", text) is not None


def _sql_of(name: str) -> str:
    for file in SQL.rglob(f"{name}.sql"):
        return file.read_text()
    table = re.search(rf"^create table holdfast\.{name} \(.*?^\)", _schema(), re.MULTILINE | re.DOTALL)
    return table[0] if table else ""


@cache
def _schema() -> str:
    return "\n".join(file.read_text() for file in sorted((SQL / "schema").glob("*.sql")))


def _name_exists(place: str) -> bool:
    name, _, parameter = place.removesuffix("=)").partition("(")
    thing: Any = holdfast
    for word in name.split("."):
        thing = getattr(thing, word, None)
    if thing is None:
        return False
    return not parameter or parameter in inspect.signature(thing).parameters
