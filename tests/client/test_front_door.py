"""The package's front door: small, sorted, and quick to open."""

import re
import subprocess
import sys
from pathlib import Path

import holdfast
from holdfast.model import end_attempt, error
from holdfast.model.end_attempt import EndAttempt
from holdfast.model.error import HoldfastError

PAGE = Path(__file__).parents[2] / "docs" / "python.md"

HEAVY = ["asyncpg", "pydantic", "rich", "typer"]


def loaded_after(statement: str) -> list[str]:
    path = [one for one in sys.path if one]
    found = f"print(*(name for name in {HEAVY!r} if name in sys.modules))"
    program = f"import sys; sys.path[:0] = {path!r}\n{statement}\n{found}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_names_are_sorted_and_every_one_is_there() -> None:
    assert holdfast.__all__ == sorted(holdfast.__all__)
    assert dir(holdfast) == holdfast.__all__
    for name in holdfast.__all__:
        assert getattr(holdfast, name).__name__ == name


def test_every_name_has_its_line_in_the_documentation_and_no_other_has() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)) == holdfast.__all__


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(holdfast, "Nothing")


def test_the_import_loads_nothing_heavy() -> None:
    assert loaded_after("import holdfast") == []


def test_an_app_with_plain_tasks_loads_no_pydantic() -> None:
    program = """
from holdfast import Holdfast
app = Holdfast("postgresql://nobody@127.0.0.1:1/nowhere")
@app.task()
async def greet(name: str, tags: list[str] | None = None) -> dict[str, int]: ...
greet.call("Ada", tags=["a"])
greet.bind({"name": "Ada"})
"""
    assert loaded_after(program) == ["asyncpg"]


def test_every_public_exception_can_be_imported_from_the_package() -> None:
    exceptions = {
        name
        for module in (error, end_attempt)
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, HoldfastError | EndAttempt)
    }
    assert exceptions - {*holdfast.__all__} == set()
