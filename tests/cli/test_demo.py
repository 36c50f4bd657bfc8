"""`holdfast demo`: the main job, and that it leaves nothing behind."""

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from tests.cli.command import environment

pytestmark = pytest.mark.alone


def start(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "holdfast", "--data-dir", str(directory), "demo", *arguments]
    return subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def directory() -> Path:
    """One that anyone may pass through: as root, the server runs as another user."""
    made = Path(tempfile.mkdtemp(prefix="holdfast-test-demo-"))
    made.chmod(0o711)
    return made


def test_forty_jobs_survive_a_flaky_server_and_a_killed_worker(directory: Path) -> None:
    process = start(directory, "--jobs", "40")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    last = out.splitlines()[-1]
    assert re.fullmatch(r"demo: 40 of 40 completed, 0 lost, 0 duplicated, 1 worker killed, \d+ s", last)
    assert "kill -9" in err
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []
    directory.rmdir()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_takes_everything_along(directory: Path, number: signal.Signals, code: int) -> None:
    process = start(directory, "--jobs", "2000")
    assert process.stderr is not None
    for line in process.stderr:
        if "worker processes started" in line:
            break
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []
    directory.rmdir()


def processes_in(directory: Path) -> list[str]:
    """The database and the workers, which have its address in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            text = " ".join([*process.cmdline(), *process.environ().values()])
        except psutil.Error:
            continue
        if str(directory) in text:
            found.append(f"{process.pid} {text[:100]}")
    return found


@pytest.mark.slow
def test_a_chain_of_short_workers_finishes_everything_though_some_are_killed(directory: Path) -> None:
    process = start(directory, "--scenario", "time-box", "--jobs", "250", "--workers", "3")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    last = out.splitlines()[-1]
    found = re.fullmatch(
        r"demo: 250 of 250 completed, 0 lost, 0 duplicated, (\d+) workers? killed, (\d+) links, \d+ s", last
    )
    assert found, last
    assert int(found[1]) >= 1
    assert int(found[2]) >= 10
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []
    directory.rmdir()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)
def test_five_thousand_items_through_hundreds_of_short_workers(directory: Path) -> None:
    process = start(directory, "--scenario", "time-box")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    found = re.fullmatch(
        r"demo: 5000 of 5000 completed, 0 lost, 0 duplicated, (\d+) workers killed, (\d+) links, \d+ s",
        out.splitlines()[-1],
    )
    assert found, out
    assert int(found[1]) >= 5
    assert int(found[2]) >= 100
    directory.rmdir()


@pytest.mark.slow
def test_agents_send_forty_posts_through_four_stages_though_a_worker_is_killed(directory: Path) -> None:
    process = start(directory, "--scenario", "pipeline", "--posts", "40", "--workers", "3")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert re.fullmatch(
        r"demo: 40 of 40 ended, 0 lost, 0 duplicated, limits held, 1 worker killed, \d+ s",
        out.splitlines()[-1],
    )
    assert "96 advance, 8 skip, 6 reject, 4 loop" in out
    assert "kill -9" in err
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []
    directory.rmdir()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_agents_send_a_thousand_posts_through_four_stages_though_three_workers_are_killed(
    directory: Path,
) -> None:
    process = start(directory, "--scenario", "pipeline")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert re.fullmatch(
        r"demo: 1000 of 1000 ended, 0 lost, 0 duplicated, limits held, 3 workers killed, \d+ s",
        out.splitlines()[-1],
    )
    directory.rmdir()
