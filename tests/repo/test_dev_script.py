"""`./dev` as a program: its words and its exit codes, in the plainest shell at hand."""

import re
import shutil
import subprocess
from pathlib import Path

from tests.repo.tree import ROOT

SHELL = shutil.which("dash") or "/bin/sh"


def test_help_names_every_command() -> None:
    cases = re.findall(r"^        ([a-z |]+)\) ensure_installed", (ROOT / "dev").read_text(), re.MULTILINE)
    commands = [command for case in cases for command in case.split(" | ")]
    answer = run("help")
    assert answer.returncode == 0
    assert answer.stderr == ""
    assert {"demo", "test", "lint", "bench", "chaos", "db"} <= set(commands)
    assert [command for command in commands if f"\n  {command} " not in answer.stdout] == []


def test_no_command_at_all_is_a_question_for_help() -> None:
    assert run().stdout == run("help").stdout == run("--help").stdout


def test_an_unknown_command_is_named_and_exits_2() -> None:
    answer = run("tset")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert 'there is no command "tset"' in answer.stderr


def test_it_can_be_called_from_any_directory(tmp_path: Path) -> None:
    assert run("help", cwd=tmp_path).returncode == 0


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [SHELL, str(ROOT / "dev"), *arguments]
    environment = {"PATH": "/usr/bin:/bin", "HOME": ""}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
