"""`.ci/run`: what it calls, in which order, and that a failure is one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

DEV = '#!/bin/sh\necho "$*" >>"$CALLS"\n[ "$1" != "$FAILS" ]\n'
TOOLS = ("pgbouncer", "chromium", "node", "curl", "jq")
OLDEST = "test --postgres 15 tests/sql tests/migration tests/machine"


@pytest.mark.parametrize(
    ("fails", "calls"),
    [
        ("", ["lint", "test", OLDEST, "test -m slow and not long"]),
        ("lint", ["lint"]),
        ("test", ["lint", "test"]),
    ],
)
def test_lint_and_tests_and_old_servers_and_slow_ones_run_once_each_until_one_fails(
    tmp_path: Path, fails: str, calls: list[str]
) -> None:
    ended = run_ci(tmp_path, fails)
    assert (tmp_path / "calls").read_text().splitlines() == calls
    assert (ended.returncode == 0) == (fails == ""), ended.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can install")
def test_a_tool_that_a_proof_needs_is_installed_if_it_is_missing(tmp_path: Path) -> None:
    installer = '#!/bin/sh\necho "apt-get $*" >>"$CALLS"\n'
    run_ci(tmp_path, "lint", without=("pgbouncer", "chromium"), **{"apt-get": installer})
    assert (tmp_path / "calls").read_text().splitlines() == [
        "apt-get update -q",
        "apt-get install -qy --no-install-recommends pgbouncer chromium",
        "lint",
    ]


def run_ci(
    place: Path, fails: str, without: tuple[str, ...] = (), **programs: str
) -> "subprocess.CompletedProcess[str]":
    (place / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", place / ".ci" / "run")
    executable(place / "dev", DEV)
    programs |= {name: "#!/bin/sh\n" for name in TOOLS if name not in without}
    for name, text in programs.items():
        executable(place / "bin" / name, text)
    for name in ("bash", "dirname", "id", "sh", "timeout"):
        (place / "bin" / name).symlink_to(str(shutil.which(name)))
    environment = {"PATH": str(place / "bin"), "CALLS": str(place / "calls"), "FAILS": fails}
    return subprocess.run(
        [place / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False
    )


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
