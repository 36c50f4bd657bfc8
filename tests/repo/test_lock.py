"""requirements.lock pins all that pyproject.toml asks for, each by hash."""

import re
import tomllib
from itertools import chain

from tests.repo.tree import ROOT

LOCK = (ROOT / "requirements.lock").read_text()
REQUIREMENT = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?P<rest>(?:.*\\\n)+.*)", re.MULTILINE)


def test_every_declared_dependency_is_locked() -> None:
    locked = {match["name"] for match in REQUIREMENT.finditer(LOCK)}
    assert declared() - locked == set(), "run ./dev lock"


def test_every_requirement_is_pinned_by_hash() -> None:
    top_lines = [line for line in LOCK.splitlines() if line and line[0] not in " #"]
    pinned = list(REQUIREMENT.finditer(LOCK))
    assert len(pinned) == len(top_lines)
    assert [match["name"] for match in pinned if "--hash=sha256:" not in match["rest"]] == []


def test_the_lock_holds_no_address() -> None:
    assert "://" not in LOCK


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    requirements = chain(project["project"]["dependencies"], *extras, *project["dependency-groups"].values())
    return {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}
