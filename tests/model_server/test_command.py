"""`holdfast simulate-model`, as a process of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

from tests.model_server.caller import CHAT, question
from tests.patience import PATIENCE

opener = build_opener(ProxyHandler({}))


@contextmanager
def simulated(*arguments: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process and its address."""
    command = [sys.executable, "-m", "holdfast", "simulate-model", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(number: signal.Signals) -> None:
    with simulated("--set", "base=1ms", "--slots", "7") as (process, url):
        with opener.open(url + CHAT, json.dumps(question()).encode(), timeout=PATIENCE) as response:
            assert json.load(response)["choices"][0]["message"]["content"] == "echo: hello"
        with opener.open(f"{url}/phase", timeout=PATIENCE) as response:
            behaviour = json.load(response)
        process.send_signal(number)
        _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "calls: 1 answered; at most 1 at once" in words
    assert (behaviour["slots"], behaviour["base"]) == (7, 0.001)


def test_phases_are_read_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "phases.json"
    script.write_text('[["0s", {"noise": 0.25}], ["1h", {"noise": 0}]]')
    with simulated("--phases", str(script), "--set", "noise=0.5") as (_, url):
        for _ in range(100):
            with opener.open(f"{url}/phase", timeout=PATIENCE) as response:
                noise = json.load(response)["noise"]
            if noise == 0.25:
                return
    raise AssertionError("the first phase did not begin")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "noise"], "must be NAME=VALUE"),
        (["--set", "noise=2"], "must be a number from 0 to 1"),
        (["--set", "bogus=2"], "no setting 'bogus'"),
        (["--phases", "/nonexistent"], "cannot be read"),
        (["--time-scale", "0"], "above 0"),
    ],
)
def test_a_wrong_option_is_explained(arguments: list[str], words: str) -> None:
    with simulated(*arguments) as (process, url):
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert url == ""
    assert words in said
    assert "hint: " in said


def test_a_taken_port_is_explained() -> None:
    with simulated() as (_, url), simulated("--port", url.rpartition(":")[2]) as (process, _):
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 6
    assert "cannot be used" in said
