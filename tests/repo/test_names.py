"""What people are told to install is this project: `holdfast` on package indexes is another one."""

import re
import tomllib

import pytest

from tests.repo.tree import ROOT, name_of, repository_files

NAME = "holdfast-queue"
# What follows the name is an extra, a version, or the end of a word that is not ours.
FOREIGN = re.compile(
    r"""pip3?\s+install\b(?:\s+-\S+)*\s+["'`\\]*(?:[\w.\[\],-]+["']?\s+["']?)*holdfast(?![\w-])"""
    r"|holdfast\[(?:agents|embedded|fast)\b"
)
TEXTS = {".py", ".sql", ".md", ".toml", ".sh", ""}


def test_no_page_hint_or_error_tells_people_to_install_the_other_project() -> None:
    found = [
        f"{name_of(path)}: {match[0]}"
        for path in repository_files()
        if path.suffix in TEXTS and path.name != "test_names.py"
        for match in FOREIGN.finditer(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "planted",
    [
        "pip install holdfast",
        "pip install -U holdfast",
        'pip install "holdfast[agents]"',
        "pip install 'holdfast==0.1.0'",
        "python -m pip install asyncpg holdfast",
        "the extra holdfast[embedded]",
    ],
)
def test_such_a_line_would_be_found(planted: str) -> None:
    assert FOREIGN.search(planted)


def test_our_own_name_is_not_taken_for_the_other() -> None:
    assert not FOREIGN.search('pip install "holdfast-queue[agents]"')
    assert not FOREIGN.search("pip install dist/holdfast_queue-0.1.0-py3-none-any.whl")


def test_the_readme_names_the_wheel_that_is_built() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == NAME
    wheel = f"dist/{NAME.replace('-', '_')}-{project['version']}-py3-none-any.whl"
    assert f'pip install "{wheel}[' in (ROOT / "README.md").read_text()
