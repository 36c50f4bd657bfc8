"""The wheel carries the SQL, the type marker and the licence, and nothing that is not the product."""

import subprocess
import sys
import tomllib
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.repo.tree import ROOT, name_of, python_files, sql_files

BASE_DEPENDENCIES = {"asyncpg", "cronsim", "pydantic", "rich", "typer", "tzdata"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
    built = subprocess.run([*command, "-w", directory, ROOT], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (path,) = directory.glob("*.whl")
    return ZipFile(path)


def test_the_wheel_holds_every_module_and_every_sql_file(wheel: ZipFile) -> None:
    sources = [*python_files(), *sql_files()]
    expected = {in_wheel(path) for path in sources if name_of(path).startswith("src/")}
    assert any(name.endswith(".sql") for name in expected)
    assert expected - set(wheel.namelist()) == set()


def test_the_wheel_is_marked_as_typed(wheel: ZipFile) -> None:
    assert "holdfast/py.typed" in wheel.namelist()


def test_the_wheel_holds_only_the_package_and_its_metadata(wheel: ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"holdfast", f"holdfast_queue-{metadata(wheel)['Version']}.dist-info"}
    assert not [name for name in wheel.namelist() if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.parametrize("tool", ["chaos", "bench", "examples", "tests"])
def test_the_wheel_holds_none_of_the_repositorys_tools(wheel: ZipFile, tool: str) -> None:
    assert (ROOT / tool).is_dir()
    assert not [name for name in wheel.namelist() if tool in Path(name).parts]


def test_the_metadata_names_licence_python_and_the_small_base(wheel: ZipFile) -> None:
    found = metadata(wheel)
    assert found["License-Expression"] == "Apache-2.0"
    assert found["Requires-Python"] == ">=3.11"
    required = [line for line in found.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {line.split(">")[0].strip() for line in required} == BASE_DEPENDENCIES


def test_the_wheel_installs_the_holdfast_command(wheel: ZipFile) -> None:
    assert "holdfast = holdfast.cli:main" in member(wheel, "entry_points.txt")


def test_the_version_is_written_in_one_place(wheel: ZipFile) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert metadata(wheel)["Version"] == project["version"]


def in_wheel(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


def metadata(wheel: ZipFile) -> Message:
    return Parser().parsestr(member(wheel, "METADATA"))


def member(wheel: ZipFile, name: str) -> str:
    (path,) = [entry for entry in wheel.namelist() if entry.endswith(f".dist-info/{name}")]
    return wheel.read(path).decode()
