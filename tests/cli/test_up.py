"""`holdfast up` as a process tree: it serves, works, replaces, drains, and leaves nothing behind."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import psutil
import pytest

from tests.cli.command import environment, eventually, holdfast, holdfast_process
from tests.cli.test_worker import APP
from tests.patience import PATIENCE

LINK = re.compile(rb"^serve    \| holdfast: open .* 10 minutes: (\S+)/login\?link=(\S+)\r$", re.MULTILINE)


@pytest.mark.slow
def test_a_server_that_cannot_start_says_why_and_without_an_app_the_next_step_is_explained(
    database_url: str,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        refused = holdfast_process("up", "--port", str(other.getsockname()[1]), url=database_url)
    assert refused.code == 6
    assert "holdfast up -A jobs:app" in refused.err
    assert "serve    | error: The address 127.0.0.1 port" in refused.err


@contextmanager
def running(
    url: str, place: Path, *options: str, log_format: str = "text"
) -> Iterator["subprocess.Popen[str]"]:
    (place / "shop.py").write_text(APP)
    command = [sys.executable, "-m", "holdfast", "--log-format", log_format, "up", "-A", "shop:app"]
    log = place / "log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [*command, "--port", "0", *options],
            env=environment(url),
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        yield process


def greet(url: str) -> None:
    job = holdfast("enqueue", "greet", '{"name": "Ada"}', "--queue", "mail", url=url).out.strip()
    assert holdfast("jobs", "wait", job, "--timeout", f"{PATIENCE:g}s", url=url).code == 0


def address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.alone
@pytest.mark.slow
def test_it_serves_and_works_replaces_a_killed_worker_and_drains(database_url: str, tmp_path: Path) -> None:
    with running(database_url, tmp_path, "--workers", "2") as process:
        with urllib.request.urlopen(f"{address(process)}/readyz", timeout=PATIENCE) as answered:
            assert json.load(answered) == {"status": "ok", "failing": []}
        greet(database_url)
        eventually(lambda: len(psutil.Process(process.pid).children()) == 3)
        _, *workers = children = sorted(psutil.Process(process.pid).children(), key=lambda one: one.pid)
        workers[0].kill()
        log = tmp_path / "log"
        eventually(lambda: told_by_workers(log, "worker started") == 3)
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    text = log.read_text()
    assert "up process failed: process=worker-" in text
    assert "serve    | " in text
    assert "worker-1 | " in text
    assert told_by_workers(log, "worker stopped") == 2
    assert "Traceback" not in text
    assert [one for one in children if one.is_running()] == []


@pytest.mark.alone
@pytest.mark.slow
def test_with_dev_it_needs_no_key_and_the_others_drain_when_the_parent_is_killed(
    database_url: str, tmp_path: Path
) -> None:
    with running(database_url, tmp_path, "--dev", log_format="json") as process:
        with urllib.request.urlopen(f"{address(process)}/metrics", timeout=PATIENCE) as answered:
            assert answered.status == 200, "with --dev it needs no key"
        greet(database_url)
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) == 2
        process.kill()
        process.wait(PATIENCE)
        psutil.wait_procs(children, PATIENCE)
    assert [one for one in children if one.is_running()] == []
    assert {row["state"] for row in workers(database_url)} == {"stopped"}, "they have signed off"
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"process", "pid"} <= {name for line in lines for name in line}


@pytest.mark.alone
@pytest.mark.slow
def test_a_terminal_gets_a_link_to_the_dashboard_and_a_log_gets_none(
    database_url: str, tmp_path: Path
) -> None:
    with up_in_a_terminal(database_url, "text") as (process, screen):
        eventually(lambda: LINK.search(screen) is not None)
        found = LINK.search(screen)
        assert found is not None
        assert found[1].decode() == address(process)
        browser, server, link = build_opener(HTTPCookieProcessor()), found[1].decode(), found[2].decode()
        asked = browser.open(f"{server}/login?link={link}", timeout=PATIENCE).read().decode()
        assert f'name="link" value="{link}"' in asked
        form = urllib.request.Request(f"{server}/login", f"link={link}".encode(), {"Origin": server})
        for page in (form, f"{server}/api/v1/keys"):
            assert browser.open(page, timeout=PATIENCE).status == 200
        assert keys(database_url) == ["valid"]
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert keys(database_url) == ["revoked"]
    with up_in_a_terminal(database_url, "json") as (process, screen):
        address(process)
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert b"the dashboard is at" in screen
    assert b"link" not in screen
    with running(database_url, tmp_path) as process:
        address(process)
        process.terminate()
        assert process.wait(PATIENCE) == 0
    text = (tmp_path / "log").read_text()
    assert "the dashboard is at" in text
    assert "link" not in text
    assert keys(database_url) == ["revoked"], "no other was made"


@contextmanager
def up_in_a_terminal(url: str, log_format: str) -> Iterator[tuple["subprocess.Popen[str]", bytearray]]:
    """With a pseudo-terminal as stderr, and what has been written there."""
    master, slave = pty.openpty()
    screen = bytearray()

    def read() -> None:
        with suppress(OSError):  # the last process that could write has ended
            while chunk := os.read(master, 4096):
                screen.extend(chunk)

    reading = threading.Thread(target=read)
    command = [sys.executable, "-m", "holdfast", "--log-format", log_format, "up", "--port", "0"]
    try:
        with subprocess.Popen(
            command, env=environment(url), stdout=subprocess.PIPE, stderr=slave, text=True
        ) as process:
            os.close(slave)
            reading.start()
            yield process, screen
        reading.join(PATIENCE)
    finally:
        os.close(master)


def keys(url: str) -> list[str]:
    """The states of all access keys."""
    return [key["state"] for key in holdfast("keys", "list", "--all", "--json", url=url).document["keys"]]


def told_by_workers(log: Path, what: str) -> int:
    """Not by the server, which has a worker of its own for bulk actions."""
    return sum(line.startswith("worker-") and what in line for line in log.read_text().splitlines())


def workers(url: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = holdfast("workers", "list", "--all", "--json", url=url).document["workers"]
    return found
