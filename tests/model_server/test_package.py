"""The way in: names, loading, and that the typed changes are those of the behaviour."""

import subprocess
import sys
from dataclasses import fields

import pytest

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


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
@pytest.mark.parametrize(
    "program",
    [
        "from holdfast.testing import ModelServer; ModelServer()",
        "from holdfast.testing import ModelServer; ModelServer.in_thread().__enter__()",
        "from holdfast.cli import main; sys.argv[1:] = ['simulate-model', '--port', '0']; main()",
        "from holdfast.cli import main; sys.argv[1:] = ['demo', '--jobs', '20']; main()",
    ],
)
def test_without_the_extra_the_error_says_how_to_install_it(package: str, program: str) -> None:
    """A module that is None in `sys.modules` cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules[{package!r}] = None; {program}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"needs the package {package}, which is not installed" in done.stderr
    assert 'pip install "holdfast-queue[server]"' in done.stderr


def test_every_name_of_the_testing_kit_exists() -> None:
    for module in (holdfast.testing, model_server):
        assert module.__all__ == sorted(module.__all__)
        assert all(getattr(module, name) is not None for name in module.__all__)


def test_the_changes_are_the_fields_of_a_behaviour() -> None:
    assert [*Changes.__annotations__] == [field.name for field in fields(Behaviour)]


def test_a_behaviour_can_be_written_and_read_again() -> None:
    behaviour = Behaviour().changed({"base": "250ms", "outage": "hang", "memory": 3})
    assert Behaviour().changed(behaviour.document()) == behaviour
