"""`holdfast worker --reload`: a change of the code is a new worker."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli.workers.reload import modified
from tests.cli.command import environment, eventually, holdfast
from tests.patience import PATIENCE

APP = """
from holdfast import Holdfast
app = Holdfast()

@app.task(queue="mail")
async def greet() -> str:
    return "{word}"
"""


def test_a_changed_a_new_and_a_removed_file_are_seen_but_not_those_of_others(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    first, second = tmp_path / "first.py", tmp_path / "package" / "second.py"
    first.write_text("")
    before = modified(tmp_path)
    second.write_text("")
    after = modified(tmp_path)
    assert before.keys() == {first}
    assert after.keys() == {first, second}
    os.utime(first, ns=(1, 1))
    assert modified(tmp_path)[first] == 1
    for name in (".hidden", "environment", "__pycache__"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "other.py").write_text("")
    (tmp_path / "environment" / "pyvenv.cfg").write_text("")
    (tmp_path / "notes.txt").write_text("")
    second.unlink()
    assert modified(tmp_path).keys() == {first}


@pytest.mark.parametrize(
    ("option", "variable"),
    [(["--reload"], {}), pytest.param([], {"HOLDFAST_WORKER_RELOAD": "1"}, marks=pytest.mark.slow)],
)
def test_the_worker_runs_the_new_code_after_a_change_and_after_a_mistake(
    database_url: str, tmp_path: Path, option: list[str], variable: dict[str, str]
) -> None:
    app = tmp_path / "shop.py"
    app.write_text(APP.format(word="old"))
    command = [sys.executable, "-m", "holdfast", "worker", "-A", "shop:app", *option]
    log = tmp_path / "log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command, env=environment(database_url) | variable, cwd=tmp_path, stderr=stderr
        ) as worker,
    ):
        try:
            assert _greeting(database_url) == "old"
            app.write_text("this is no Python")
            eventually(lambda: "restarts when a file changes" in log.read_text())
            app.write_text(APP.format(word="new"))
            assert _greeting(database_url) == "new"
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(PATIENCE)
    assert worker.returncode == 0


def _greeting(url: str) -> str:
    job = holdfast("enqueue", "greet", "--queue", "mail", url=url).out.strip()
    waited = holdfast("jobs", "wait", job, "--timeout", "30s", "--json", url=url)
    assert waited.code == 0, waited.err
    word: str = waited.document["jobs"][0]["output"]
    return word
