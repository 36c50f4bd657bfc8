"""`pip install .` into an empty environment: the command is there, and brings its SQL."""

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from tests.repo.tree import ROOT, sql_files

LOADED = """
import holdfast
from holdfast.db.sql_files import SQL, load_sql_files
print(holdfast.__file__)
print(len(list(SQL.rglob("*.sql"))), len(load_sql_files().functions) > 100)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the package alone; what it needs is lent by the environment of the tests, which comes later."""
    place = tmp_path_factory.mktemp("an empty place") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place)
    pip = ("-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation", "--ignore-installed")
    run(sys.executable, *pip, "--prefix", place, ROOT)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return place


@pytest.mark.slow
def test_the_installed_package_is_whole(environment: Path) -> None:
    where, found = run(environment / "bin" / "python", "-c", LOADED).splitlines()
    assert Path(where).is_relative_to(environment)
    assert found == f"{len(sql_files())} True"


@pytest.mark.slow
def test_the_installed_command_answers(environment: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert run(environment / "bin" / "holdfast", "--version") == f"holdfast {project['version']}\n"


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout
