"""`holdfast demo`: the main job, and that it leaves nothing behind."""

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.cli.command import environment
from tests.patience import PATIENCE

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


@pytest.mark.slow
def test_forty_jobs_survive_a_flaky_server_and_a_killed_worker(directory: Path) -> None:
    process = start(directory, "--jobs", "40")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    last = out.splitlines()[-1]
    assert re.fullmatch(r"demo: 40 of 40 completed, 0 lost, 0 duplicated, 1 worker killed, \d+ s", last)
    assert "kill -9" in err
    assert re.search(r"watch it in a browser: http://127\.0\.0\.1:\d+", err)
    assert list(directory.iterdir()) == []
    assert processes_in(directory) == []
    directory.rmdir()


@pytest.mark.slow
def test_with_keep_the_dashboard_stays_until_a_signal_and_the_database_after_it(directory: Path) -> None:
    process = start(directory, "--jobs", "20", "--keep")
    assert process.stderr is not None
    address = next(line.split()[5] for line in process.stderr if "the dashboard stays at" in line)
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        assert "<title>" in page.read().decode()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert "Traceback" not in err
    assert out.splitlines()[-1].startswith("demo: 20 of 20 completed")
    assert processes_in(directory) == []
    assert [one.name.startswith("holdfast-demo-") for one in directory.iterdir()] == [True]
    shutil.rmtree(directory)


@pytest.mark.slow
def test_the_verdict_comes_as_json_too(directory: Path) -> None:
    process = start(directory, "--jobs", "20", "--json")
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    document = json.loads(out)
    assert (document["passed"], document["failed"]) == (True, [])
    assert (document["jobs"], document["completed"], document["killed"]) == (20, 20, 1)
    assert document["calls"] == sum(document["outcomes"].values()) >= 20
    directory.rmdir()


@pytest.mark.slow
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
