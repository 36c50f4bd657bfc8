"""`holdfast worker --time-box` and `--processes`, as processes."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import environment, eventually, holdfast, holdfast_process
from tests.patience import PATIENCE

pytestmark = pytest.mark.alone

APP = """
import asyncio
import time

from holdfast import Holdfast, JobContext

app = Holdfast()


@app.task()
async def slow() -> None:
    await asyncio.sleep(0.5)


@app.task()
async def block(ctx: JobContext) -> None:
    if ctx.attempt == 1:
        time.sleep(600)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(APP)
    return tmp_path


def enqueue(url: str, task: str, count: int = 1) -> None:
    assert holdfast("enqueue", task, "--count", str(count), url=url).code == 0


def states(url: str) -> dict[str, int]:
    found = holdfast("jobs", "list", "--json", url=url).document["jobs"]
    return {state: sum(job["state"] == state for job in found) for state in {job["state"] for job in found}}


@pytest.mark.slow
def test_a_process_whose_handler_blocks_it_is_gone_with_its_box_and_the_job_goes_on(
    database_url: str, shop: Path
) -> None:
    enqueue(database_url, "block")
    worker = holdfast_process(
        "worker", "-A", "shop:app", "--time-box", "10s", "--margin", "4s", url=database_url, cwd=shop
    )
    assert worker.code == 7, worker.err
    assert states(database_url) == {"ready": 1}
    again = holdfast_process("worker", "-A", "shop:app", "--drain", url=database_url, cwd=shop)
    assert again.code == 0, again.err
    assert states(database_url) == {"completed": 1}
    (job,) = holdfast("jobs", "list", "--json", url=database_url).document["jobs"]
    assert (job["failures"], job["losses"]) == (0, 0)


@pytest.mark.slow
def test_a_chain_of_processes_by_a_command_and_the_environment_finishes_everything(
    database_url: str, shop: Path
) -> None:
    """Every option may stand in the environment, which a successor inherits; so may the continuation."""
    enqueue(database_url, "slow", 16)
    command = f"{shlex.quote(sys.executable)} -m holdfast worker"
    more = {
        "HOLDFAST_APP": "shop:app",
        "HOLDFAST_WORKER_SLOTS": "1",
        "HOLDFAST_WORKER_TIME_BOX": "12s",
        "HOLDFAST_WORKER_MARGIN": "6s",
        "HOLDFAST_WORKER_CONTINUE_AFTER": "10ms",
        "HOLDFAST_WORKER_CONTINUE_COMMAND": command,
    }
    with (shop / "log").open("w") as log:  # successors write there, too
        first = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "worker"],
            env=environment(database_url, **more),
            cwd=shop,
            stderr=log,
        )
        assert first.wait(PATIENCE) == 0, (shop / "log").read_text()
    assert "out_of_time" in (shop / "log").read_text()
    eventually(lambda: states(database_url) == {"completed": 16})
    eventually(lambda: "working" not in [one["state"] for one in workers(database_url)])
    chain = [one["index"] for one in reversed(workers(database_url))]
    assert chain == [None, *range(1, len(chain))]
    assert len(chain) > 1


@pytest.mark.slow
def test_two_processes_are_two_workers_and_leave_together(database_url: str, shop: Path) -> None:
    enqueue(database_url, "slow", 4)
    command = [sys.executable, "-m", "holdfast", "worker", "-A", "shop:app", "--processes", "2"]
    team = subprocess.Popen(
        command, env=environment(database_url), cwd=shop, stderr=subprocess.PIPE, text=True
    )
    try:
        eventually(lambda: [one["state"] for one in workers(database_url)] == ["working"] * 2)
        eventually(lambda: states(database_url) == {"completed": 4})
        team.terminate()
        _, err = team.communicate(timeout=PATIENCE)
        assert team.returncode == 0, err
    finally:
        team.kill()
    assert [one["state"] for one in workers(database_url)] == ["stopped"] * 2


@pytest.mark.slow
def test_a_killed_process_is_replaced_by_another(database_url: str, shop: Path) -> None:
    command = [sys.executable, "-m", "holdfast", "worker", "-A", "shop:app", "--processes", "2"]
    team = subprocess.Popen(
        command, env=environment(database_url), cwd=shop, stderr=subprocess.PIPE, text=True
    )
    try:
        eventually(lambda: len(pids(database_url)) == 2)
        first = pids(database_url)
        os.kill(min(first), signal.SIGKILL)
        eventually(lambda: pids(database_url) - first != set())
        team.terminate()
        _, err = team.communicate(timeout=PATIENCE)
        assert team.returncode == 0, err
    finally:
        team.kill()
    assert "another replaces it" in err


@pytest.mark.parametrize(
    "options",
    [
        ["--margin", "1s"],
        ["--time-box", "soon"],
        ["--time-box", "10s", "--margin", "10s"],
        ["--continue-post", "https://host/start"],
        ["--time-box", "10s", "--continue-post", "host/start"],
        ["--time-box", "10s", "--continue-post", "https://h/", "--continue-command", "x"],
        ["--claim-size", "many"],
        ["--processes", "some"],
        ["--continuation", "7"],
    ],
)
def test_options_that_cannot_be_right_are_refused_with_a_hint(
    database_url: str, shop: Path, options: list[str]
) -> None:
    refused = holdfast("worker", "-A", "shop:app", *options, url=database_url, cwd=shop)
    assert refused.code == 2, refused.err
    assert "hint: " in refused.err


def workers(url: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = holdfast("workers", "list", "--all", "--json", url=url).document[
        "workers"
    ]
    return found


def pids(url: str) -> set[int]:
    return {int(str(one["pid"])) for one in workers(url)}
