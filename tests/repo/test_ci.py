"""`.ci/run`: what it calls, in which order, and that a failure is one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

# Fails on the call that FAILS names, as pytest does: status 1, and a file that names the failed tests.
DEV = """#!/bin/sh
echo "$*" >>"$CALLS"
[ "$*" = "$FAILS" ] || exit 0
mkdir -p .pytest_cache/v/cache
printf "$FAILED" >.pytest_cache/v/cache/lastfailed
exit "$STATUS"
"""
TOOLS = ("pgbouncer", "chromium", "node", "curl", "jq")
OLDEST = "test --postgres 15 tests/sql tests/migration tests/machine"
SLOW = "test -m slow and not long"
AGAIN = f"{OLDEST} --last-failed --last-failed-no-failures none -n 0"
ONE = '{\\n  "tests/a.py::test_b": true\\n}'
FOUR = "{\\n" + ",\\n".join(f'  "tests/a.py::test_{n}": true' for n in range(4)) + "\\n}"


@pytest.mark.parametrize(
    ("fails", "failed", "status", "calls"),
    [
        ("", "", 0, ["lint", "test", OLDEST, SLOW]),
        ("lint", "", 1, ["lint"]),
        ("test", FOUR, 1, ["lint", "test"]),
        ("test", "{}", 4, ["lint", "test"]),
        ("test", ONE, 2, ["lint", "test"]),
    ],
)
def test_lint_and_tests_and_old_servers_and_slow_ones_run_until_one_fails(
    tmp_path: Path, fails: str, failed: str, status: int, calls: list[str]
) -> None:
    ended = run_ci(tmp_path, fails, FAILED=failed, STATUS=str(status))
    assert (tmp_path / "calls").read_text().splitlines() == calls
    assert ended.returncode == status, ended.stderr


def test_a_test_that_fails_runs_again_alone_and_the_last_line_names_it(tmp_path: Path) -> None:
    ended = run_ci(tmp_path, OLDEST, FAILED=ONE, STATUS="1")
    assert (tmp_path / "calls").read_text().splitlines() == ["lint", "test", OLDEST, AGAIN, SLOW]
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == ["FAILED FIRST, PASSED ALONE:", '  "tests/a.py::test_b": true']


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can install")
def test_a_tool_that_a_proof_needs_is_installed_if_it_is_missing(tmp_path: Path) -> None:
    installer = '#!/bin/sh\necho "apt-get $*" >>"$CALLS"\n'
    run_ci(tmp_path, "lint", without=("pgbouncer", "chromium"), programs={"apt-get": installer}, STATUS="1")
    assert (tmp_path / "calls").read_text().splitlines() == [
        "apt-get update -q",
        "apt-get install -qy --no-install-recommends pgbouncer chromium",
        "lint",
    ]


def run_ci(
    place: Path, fails: str, without: tuple[str, ...] = (), programs: dict[str, str] | None = None, **env: str
) -> "subprocess.CompletedProcess[str]":
    (place / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", place / ".ci" / "run")
    executable(place / "dev", DEV)
    tools = {name: "#!/bin/sh\n" for name in TOOLS if name not in without}
    for name, text in (tools | (programs or {})).items():
        executable(place / "bin" / name, text)
    for name in ("bash", "dirname", "grep", "id", "mkdir", "sh", "timeout", "wc"):
        (place / "bin" / name).symlink_to(str(shutil.which(name)))
    environment = {"PATH": str(place / "bin"), "CALLS": str(place / "calls"), "FAILS": fails, **env}
    return subprocess.run(
        [place / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False
    )


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
