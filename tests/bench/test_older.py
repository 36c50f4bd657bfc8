"""An older commit as a system under test: its own source and script, gone at the end."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.older import in_turn, older
from bench.system import System
from bench.unavailable import Unavailable

SCRIPT = "import json, bench.peers, holdfast; print(json.dumps([holdfast.AGE, holdfast.__file__]))"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With two commits: `first` and a later one, whose source says that it is newer."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):  # a hook's: they name another checkout
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    git = _git(tmp_path)
    git("init", "-q")
    _write(tmp_path / "src" / "holdfast" / "__init__.py", "AGE = 'old'")
    _write(tmp_path / "bench" / "peers" / "__init__.py", "")
    _write(tmp_path / "bench" / "peers" / "some_script.py", SCRIPT)
    git("add", ".")
    git("commit", "-q", "-m", "first")
    git("tag", "first")
    _write(tmp_path / "src" / "holdfast" / "__init__.py", "AGE = 'new'")
    git("commit", "-q", "-a", "-m", "second")
    return tmp_path


def test_an_older_commit_runs_its_own_source(checkout: Path) -> None:
    with older("first", "some_script.py", checkout) as (system,):
        age, place = system.call("anything", "no url")
        assert age == "old"
        assert not Path(place).is_relative_to(checkout)
        assert Path(place).exists()
        assert system.name == f"holdfast@{_git(checkout)('rev-parse', '--short', 'first')}"
        assert system.version() == ""
    assert not Path(place).exists()


def test_without_a_commit_there_is_no_older_system(checkout: Path) -> None:
    with older(None, "some_script.py", checkout) as systems:
        assert systems == []


@pytest.mark.parametrize(
    ("revision", "script", "why"),
    [
        ("nosuch", "some_script.py", "there is no commit 'nosuch'; name one that `git log` lists"),
        ("--all", "some_script.py", "there is no commit '--all'"),
        ("first", "nosuch_script.py", r"the commit \w+ has no bench/peers/nosuch_script.py"),
    ],
)
def test_a_commit_that_cannot_be_measured_is_refused(
    checkout: Path, revision: str, script: str, why: str
) -> None:
    with pytest.raises(Unavailable, match=f"--against: {why}"), older(revision, script, checkout):
        pytest.fail("it is not there")


def test_a_commit_without_source_is_refused(checkout: Path) -> None:
    git = _git(checkout)
    git("rm", "-r", "-q", "src")
    git("commit", "-q", "-m", "third")
    with (
        pytest.raises(Unavailable, match=r"the commit \w+ has no src or no bench"),
        older("HEAD", "some_script.py", checkout),
    ):
        pytest.fail("it is not there")


def test_each_system_comes_first_in_turn() -> None:
    systems = [System(name, Path("script"), Path("python")) for name in ("new", "old")]
    first = [in_turn(systems, run)[0].name for run in range(4)]
    assert first == ["new", "old", "new", "old"]
    assert in_turn(systems[:1], 3) == systems[:1]


def _git(checkout: Path) -> Callable[..., str]:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(checkout), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    return git


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
