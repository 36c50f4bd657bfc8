"""`./dev example posts-pipeline`: it passes, a planted fault makes it fail, and nothing of it is left."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from examples import __main__ as runner
from examples.posts_pipeline import run
from tests.repo.tree import ROOT

pytestmark = pytest.mark.alone

TINY = replace(
    run.SMALL,
    posts=20,
    delays=tuple(delay / 1000 for delay in run.DELAYS),
    lease="5s",
    fast=timedelta(milliseconds=20),
    slow=timedelta(milliseconds=60),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "check"),
    [("delete-row", "every post ended once"), ("double-reply", "every reply was paid for once")],
)
def test_a_planted_fault_fails_the_check_that_it_concerns_and_no_other(
    fault: str, check: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "SMALL", TINY)
    assert runner.main(["posts-pipeline", "--json", "--plant", fault]) == 1
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [one["name"] for one in document["checks"] if not one["passed"]] == [check], out
    assert err.splitlines()[-1] == f"posts-pipeline: FAILED, 1 of {len(document['checks'])} checks: {check}"


@pytest.fixture
def directory() -> Iterator[Path]:
    """For all that the example stores; any user may pass through it, as root's server runs as another one."""
    made = Path(tempfile.mkdtemp(prefix="holdfast-test-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_and_removes_everything(directory: Path, number: signal.Signals, code: int) -> None:
    process = start(directory)
    assert process.stderr is not None
    for line in process.stderr:
        if "posts are enqueued" in line:
            break
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert_nothing_is_left(directory)


@pytest.mark.slow
def test_sixty_posts_pass_though_a_worker_is_killed(directory: Path) -> None:
    process = start(directory)
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert re.fullmatch(r"posts-pipeline: passed, \d+ checks, \d+ s", out.splitlines()[-1])
    assert "kill -9" in err
    assert_nothing_is_left(directory)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_thousand_posts_pass_with_the_real_delays_though_three_workers_are_killed(directory: Path) -> None:
    process = start(directory, "--full")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert "1000 posts" in out
    assert_nothing_is_left(directory)


def start(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "examples", "posts-pipeline", *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(directory)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_nothing_is_left(directory: Path) -> None:
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []


def processes_in(directory: Path) -> list[str]:
    """The database, and the workers, which have its address in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            text = " ".join([*process.cmdline(), *process.environ().values()])
        except psutil.Error:
            continue
        if str(directory) in text:
            found.append(f"{process.pid} {text[:100]}")
    return found
