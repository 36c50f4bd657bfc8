"""`holdfast up` for development: on a database of its own, and with code that changes while jobs run."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cli.command import environment, eventually, holdfast, holdfast_process
from tests.patience import PATIENCE

# A job tells in a file that it runs, and is done when it finds the gate open.
APP = """
import asyncio
from pathlib import Path

from holdfast import Holdfast

app = Holdfast()


@app.task()
async def work() -> str:
    Path("runs-{version}").touch()
    while not Path("gate-{version}").exists():
        await asyncio.sleep(0.01)
    return "{version}"
"""


def write_app(place: Path, version: str) -> None:
    """At once: a worker that starts must not find half a file."""
    (place / "shop.new").write_text(APP.replace("{version}", version))
    (place / "shop.new").rename(place / "shop.py")


@contextmanager
def up(place: Path, *options: str, url: str | None = None, **more: str) -> Iterator[str]:
    """The address of the server. All processes have ended after the block, the first one with status 0."""
    write_app(place, "one")
    command = [sys.executable, "-m", "holdfast", "up", "-A", "shop:app", "--port", "0", *options]
    with (
        (place / "log").open("w") as log,
        subprocess.Popen(
            command, env=environment(url, **more), cwd=place, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
            children = psutil.Process(process.pid).children(recursive=True)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
    assert [one for one in children if is_alive(one)] == []
    assert "Traceback" not in (place / "log").read_text()


def is_alive(process: psutil.Process) -> bool:
    """One that no parent has waited for is none."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def call(address: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(address + path, None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answered:
        return json.load(answered)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Not tmp_path: the server's user cannot pass through pytest's private directories."""
    directory = Path(tempfile.mkdtemp(prefix="holdfast-up-"))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.alone
@pytest.mark.slow
def test_with_dev_and_no_database_it_brings_its_own_and_stops_it(data_dir: Path, tmp_path: Path) -> None:
    with up(tmp_path, "--dev", "--reload", HOLDFAST_DATA_DIR=str(data_dir)) as address:
        (tmp_path / "gate-one").touch()
        job = call(address, "/api/v1/jobs", {"task": "work"})["id"]
        eventually(lambda: call(address, f"/api/v1/jobs/{job}/result")["state"] == "completed")
        write_app(tmp_path, "two")  # the database must outlive all processes that use it
        (tmp_path / "gate-two").touch()
        eventually(lambda: told(tmp_path, "worker started") == 2)
    log = (tmp_path / "log").read_text()
    assert log.count("using the embedded one") == 1, log
    assert not list(data_dir.rglob("postmaster.pid")), "it was stopped"
    kept = holdfast_process("--data-dir", str(data_dir), "jobs", "show", job, "--json")
    assert kept.document["output"] == "one", "what it stored is there for the next time"


@pytest.mark.alone
@pytest.mark.slow
def test_with_reload_a_running_job_ends_before_its_worker_is_replaced(
    database_url: str, tmp_path: Path
) -> None:
    with up(tmp_path, "--reload", url=database_url):
        job = enqueue(database_url)
        eventually((tmp_path / "runs-one").exists)
        write_app(tmp_path, "two")
        eventually(lambda: "shop.py" in (tmp_path / "log").read_text())
        (tmp_path / "gate-one").touch()
        (tmp_path / "gate-two").touch()
        assert ended(database_url, job) == ("one", 1, 0, 0)
        assert ended(database_url, enqueue(database_url)) == ("two", 1, 0, 0)


@pytest.mark.alone
@pytest.mark.slow
def test_with_reload_a_job_that_outlasts_the_grace_is_run_again_by_the_new_code_and_not_charged(
    database_url: str, tmp_path: Path
) -> None:
    with up(tmp_path, "--reload", url=database_url, HOLDFAST_WORKER_GRACE="100ms"):
        job = enqueue(database_url)
        eventually((tmp_path / "runs-one").exists)
        (tmp_path / "gate-two").touch()  # the other one stays shut
        write_app(tmp_path, "two")
        assert ended(database_url, job) == ("two", 2, 0, 0)


def enqueue(url: str) -> str:
    return holdfast("enqueue", "work", url=url).out.strip()


def ended(url: str, job: str) -> tuple[str, int, int, int]:
    """Its output, attempts, failures and losses."""
    waited = holdfast("jobs", "wait", job, "--timeout", f"{PATIENCE:g}s", url=url)
    assert waited.code == 0, waited.err
    shown = holdfast("jobs", "show", job, "--json", url=url).document
    return shown["output"], shown["attempt"], shown["failures"], shown["losses"]


def told(place: Path, what: str) -> int:
    """By the workers, not by that of the server."""
    lines = (place / "log").read_text().splitlines()
    return sum(line.startswith("worker-") and what in line for line in lines)
