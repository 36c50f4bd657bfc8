"""The way in: names, loading, and that the typed changes are those of the behaviour."""

import subprocess
import sys
from dataclasses import fields

import holdfast.testing
from holdfast.testing import model_server
from holdfast.testing.model_server import Behaviour, Changes

HEAVY = {"asyncpg", "pydantic", "rich", "typer", "uvloop"}


def test_the_model_server_loads_no_other_package() -> None:
    program = "import sys; from holdfast.testing import ModelServer; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "holdfast.testing.model_server.server" in loaded.split()
    assert not HEAVY & set(loaded.split())


def test_every_name_of_the_testing_kit_exists() -> None:
    for module in (holdfast.testing, model_server):
        assert module.__all__ == sorted(module.__all__)
        assert all(getattr(module, name) is not None for name in module.__all__)


def test_the_changes_are_the_fields_of_a_behaviour() -> None:
    assert [*Changes.__annotations__] == [field.name for field in fields(Behaviour)]


def test_a_behaviour_can_be_written_and_read_again() -> None:
    behaviour = Behaviour().changed({"base": "250ms", "outage": "hang", "memory": 3})
    assert Behaviour().changed(behaviour.document()) == behaviour
