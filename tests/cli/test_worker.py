"""`holdfast worker` as a process: it runs jobs, drains, and leaves when told."""

import re
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from holdfast.cli.workers.garbage_collection import THRESHOLD
from tests.cli.command import environment, eventually, holdfast, holdfast_process
from tests.patience import PATIENCE

APP = """
from holdfast import Holdfast

app = Holdfast()
app.queue("mail", timeout="1m")


@app.task(queue="mail")
async def greet(name: str) -> str:
    return f"Hello, {name}!"


@app.task(queue="mail", max_failures=1)
async def stumble() -> None:
    raise ValueError("over a stone")


@app.task(queue="mail")
async def collector() -> list[int]:
    import gc

    return [gc.get_threshold()[0], gc.get_freeze_count()]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(APP)
    return tmp_path


@pytest.mark.slow
def test_a_draining_worker_runs_what_is_there_and_leaves(database_url: str, shop: Path) -> None:
    good = holdfast("enqueue", "greet", '{"name": "Ada"}', "--queue", "mail", url=database_url).out.strip()
    bad = holdfast("enqueue", "stumble", "--queue", "mail", url=database_url).out.strip()
    worker = holdfast_process("worker", "-A", "shop:app", "--drain", url=database_url, cwd=shop)
    assert worker.code == 0, worker.err
    assert worker.out == "", "stdout is for data"
    waited = holdfast("jobs", "wait", good, "--json", url=database_url)
    assert (waited.code, waited.document["jobs"][0]["output"]) == (0, "Hello, Ada!")
    assert holdfast("jobs", "wait", bad, url=database_url).code == 1
    shown = holdfast("jobs", "show", bad, url=database_url)
    assert "ValueError: over a stone" in shown.out
    dead = (
        f"job dead: stumble {bad[-12:]} attempt 1: ValueError: over a stone (shop.py:15 in stumble), after "
    )
    assert dead in worker.err
    assert "failed too often" in worker.err
    known = holdfast("enqueue", "greet", '{"name": "Bo"}', "--strict", url=database_url)
    assert known.code == 0, "the worker has told of its tasks"
    assert known.err == ""


def test_the_command_relaxes_the_garbage_collector_and_the_library_leaves_it(
    database_url: str, shop: Path
) -> None:
    alone = "import asyncio, shop; asyncio.run(shop.app.work(time_box='1m', queues=['mail']))"
    outputs: list[list[int]] = []
    for command in (["-m", "holdfast", "worker", "-A", "shop:app", "--drain"], ["-c", alone]):
        job = holdfast("enqueue", "collector", "--queue", "mail", url=database_url).out.strip()
        words, named = [sys.executable, *command], environment(database_url)
        subprocess.run(words, env=named, cwd=shop, check=True, timeout=PATIENCE, capture_output=True)
        (shown,) = holdfast("jobs", "wait", job, "--json", url=database_url).document["jobs"]
        outputs.append(shown["output"])
    (threshold, frozen), (untouched, none) = outputs
    assert threshold == THRESHOLD > untouched
    assert frozen > none


def test_the_command_line_names_the_database_of_an_app_that_names_none(database_url: str, shop: Path) -> None:
    job = holdfast("enqueue", "greet", '{"name": "Ada"}', "--queue", "mail", url=database_url).out.strip()
    arguments = ["--database", database_url, "worker", "-A", "shop", "--queues", "mail:2", "--once"]
    worker = holdfast_process(*arguments, cwd=shop)
    assert worker.code == 0, worker.err
    assert holdfast("jobs", "wait", job, "--timeout", "1s", url=database_url).code == 0


@pytest.mark.slow
def test_a_worker_migrates_an_embedded_database_of_its_own(shop: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="holdfast-cli-") as directory:
        worker = holdfast_process("--data-dir", directory, "worker", "-A", "shop", "--drain", cwd=shop)
        assert worker.code == 0, worker.err
        assert "upgrading the schema of the embedded database" in worker.err


def test_an_app_that_names_its_database_cannot_be_given_another(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(f"from holdfast import Holdfast\napp = Holdfast({database_url!r})\n")
    refused = holdfast_process("--database", database_url, "worker", "-A", "own", "--drain", cwd=tmp_path)
    assert refused.code == 2
    assert "sets its own database" in refused.err


def test_a_worker_leaves_on_sigterm_with_0(database_url: str, shop: Path) -> None:
    command = [sys.executable, "-m", "holdfast", "worker", "-A", "shop:app"]
    worker = subprocess.Popen(
        command, env=environment(database_url), cwd=shop, stderr=subprocess.PIPE, text=True
    )
    try:
        eventually(lambda: worker_states(database_url) == ["working"])
        worker.send_signal(signal.SIGTERM)
        _, err = worker.communicate(timeout=PATIENCE)
        assert worker.returncode == 0, err
        assert "worker exited after 0 attempts, 0 of them failed" in err
    finally:
        worker.kill()
        worker.wait()
    assert worker_states(database_url) == ["stopped"]


def worker_states(url: str) -> list[str]:
    listed = holdfast("workers", "list", "--all", "--json", url=url).document["workers"]
    return [worker["state"] for worker in listed]


@pytest.mark.slow
def test_each_of_several_processes_serves_its_figures_at_a_port_of_its_own(
    database_url: str, shop: Path
) -> None:
    port = two_free_ports()
    command = [*(sys.executable, "-m", "holdfast", "worker", "-A", "shop:app"), "--processes", "2"]
    team = subprocess.Popen(
        [*command, "--metrics-port", str(port)],
        env=environment(database_url),
        cwd=shop,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        eventually(lambda: {served_by(port), served_by(port + 1)}.isdisjoint({None}))
        assert served_by(port) != served_by(port + 1)
        team.terminate()
        _, err = team.communicate(timeout=PATIENCE)
        assert team.returncode == 0, err
    finally:
        team.kill()


def served_by(port: int) -> str | None:
    """The id of the worker that serves there."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
            found = re.search(r'holdfast_worker_info{worker="([^"]+)"', answer.read().decode())
    except OSError:
        return None
    return found[1] if found else None


def two_free_ports() -> int:
    """The first of two in a row that nobody uses now."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port
