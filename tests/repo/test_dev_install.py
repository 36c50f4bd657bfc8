"""How `./dev` makes .venv, seen with a stand-in for Python that records each call and installs nothing."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.repo.tree import ROOT

STAND_IN = """#!/bin/sh
case "$1 $2" in
    "-c "*ensurepip*) echo "$0" ;;
    "-c "*) exec "$REAL_PYTHON" "$@" ;;
    "-V "*) echo "Python 3.13.0" ;;
    "-m venv") echo venv >>"$CALLS"; rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
    "-m pip")
        case "$*" in *--require-hashes*) echo packages >>"$CALLS" ;; *) echo project >>"$CALLS" ;; esac
        while [ -e "$CALLS.hold" ]; do sleep 0.02; done
        [ ! -e "$CALLS.fail" ] || exit 1
        [ ! -e "$CALLS.kill" ] || kill -KILL "$PPID" ;;
esac
"""
BROKEN_SHIM = "#!/bin/sh\necho 'this version is not installed' >&2\nexit 127\n"
WHOLE = ["venv", "packages", "project"]


@dataclass(frozen=True, slots=True)
class Clone:
    root: Path
    path: str
    record: Path

    def start(self) -> subprocess.Popen[str]:
        environment = {"PATH": self.path, "CALLS": str(self.record), "REAL_PYTHON": sys.executable}
        command = ["/bin/sh", str(self.root / "dev"), "install"]
        return subprocess.Popen(command, env=environment, cwd="/", stderr=subprocess.PIPE, text=True)

    def install(self) -> tuple[int, str]:
        process = self.start()
        _, said = process.communicate(timeout=PATIENCE)
        return process.returncode, said

    def calls(self) -> list[str]:
        return self.record.read_text().split() if self.record.exists() else []

    def pip_will(self, behaviour: str) -> Path:
        order = self.record.with_name(f"{self.record.name}.{behaviour}")
        order.touch()
        return order


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    root = tmp_path / "a clone of it"
    root.mkdir()
    shutil.copy(ROOT / "dev", root / "dev")
    (root / "requirements.lock").write_text("one==1\n")
    (root / "pyproject.toml").write_text("[project]\n")
    shims, good = tmp_path / "shims", tmp_path / "good"
    executable(shims / "python3.13", BROKEN_SHIM)
    executable(good / "python3.13", STAND_IN)
    path = os.pathsep.join([str(shims), str(good), "/usr/bin", "/bin"])
    return Clone(root, path, tmp_path / "calls")


def test_the_first_call_installs_and_the_second_has_nothing_to_do(clone: Clone) -> None:
    code, said = clone.install()
    assert code == 0
    assert said == "dev: making .venv with Python 3.13.0, about a minute\n"
    assert clone.calls() == WHOLE
    assert clone.install() == (0, "")
    assert clone.calls() == WHOLE


def test_a_changed_lock_makes_the_environment_anew(clone: Clone) -> None:
    clone.install()
    (clone.root / "requirements.lock").write_text("one==2\n")
    clone.install()
    assert clone.calls() == WHOLE + WHOLE


def test_a_changed_project_file_installs_only_the_project(clone: Clone) -> None:
    clone.install()
    (clone.root / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    clone.install()
    assert clone.calls() == [*WHOLE, "project"]


def test_a_moved_clone_installs_again(clone: Clone) -> None:
    clone.install()
    moved = Clone(clone.root.rename(clone.root.with_name("moved")), clone.path, clone.record)
    moved.install()
    assert clone.calls() == WHOLE + WHOLE


@pytest.mark.parametrize("accident", ["fail", "kill"])
def test_an_interrupted_install_is_done_again_from_the_start(clone: Clone, accident: str) -> None:
    order = clone.pip_will(accident)
    code, _ = clone.install()
    assert code != 0
    assert clone.calls() == ["venv", "packages"]
    order.unlink()
    assert clone.install()[0] == 0
    assert clone.calls() == ["venv", "packages", *WHOLE]


def test_two_first_calls_at_once_install_once(clone: Clone) -> None:
    order = clone.pip_will("hold")
    first = clone.start()
    eventually(lambda: clone.calls() == ["venv", "packages"])
    second = clone.start()
    assert second.stderr is not None
    assert second.stderr.readline() == "dev: waiting for another ./dev to finish installing\n"
    order.unlink()
    first.communicate(timeout=PATIENCE)
    second.communicate(timeout=PATIENCE)
    assert (first.returncode, second.returncode) == (0, 0)
    assert clone.calls() == WHOLE


def test_without_a_fit_python_it_says_what_is_needed(clone: Clone) -> None:
    shutil.copy(clone.path.split(os.pathsep)[0] + "/python3.13", clone.root / "broken")
    process = subprocess.run(
        ["/bin/sh", clone.root / "dev", "install"],
        env={"PATH": clone.path, "HOLDFAST_PYTHON": str(clone.root / "broken")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert "is not a Python 3.11 or newer" in process.stderr
    assert clone.calls() == []


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def eventually(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        time.sleep(0.01)
