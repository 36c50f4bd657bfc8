"""A system that breaks ends its measurement at once, with its name, and leaves no process behind."""

import time
from pathlib import Path

import pytest

from bench.drained import drain
from bench.suites.held import _run as run_held
from bench.system import SystemFailed, Workers, finish
from tests.bench.broken import started, system
from tests.crash.processes import lives

WAIT = "time.sleep(3600)"
WATCH = f"if command in ('watch', 'produce'): print('ready', flush=True); {WAIT}"
ANSWER = "print('{}')"


@pytest.mark.parametrize("code", [3, 0])
def test_a_worker_that_dies_in_the_middle_ends_the_drain(tmp_path: Path, code: int) -> None:
    broken = system(tmp_path, WATCH, "ready()", f"sys.exit({code})")
    with pytest.raises(SystemFailed, match=f"broken: `work` ended with exit code {code} before") as failed:
        drain(broken, str(tmp_path), jobs=1, workers=2)
    assert failed.value.system == "broken"
    assert len(started(tmp_path, "work")) == 2
    pids = started(tmp_path, "work") + started(tmp_path, "watch")
    assert not any(map(lives, pids))


def test_a_worker_that_cannot_start_leaves_no_watcher_behind(tmp_path: Path) -> None:
    broken = system(tmp_path, WATCH, "sys.exit(4)")
    with pytest.raises(SystemFailed, match="`work` ended with exit code 4 before it was ready"):
        drain(broken, str(tmp_path), jobs=1, workers=1)
    assert not any(map(lives, started(tmp_path, "watch")))


def test_what_a_dead_worker_had_started_is_ended_too(tmp_path: Path) -> None:
    child = f"if command == 'work' and os.fork() == 0: Path(place, f'child-{{os.getpid()}}').touch(); {WAIT}"
    until_there = "while not list(Path(place).glob('child-*')): time.sleep(0.01)"
    broken = system(tmp_path, WATCH, child, until_there, "ready()", "os._exit(3)")
    with pytest.raises(SystemFailed, match="exit code 3"):
        drain(broken, str(tmp_path), jobs=1, workers=1)
    (pid,) = started(tmp_path, "child")
    while lives(pid):  # the signal was sent; the test's own limit bounds the rest
        time.sleep(0.01)


def test_a_worker_that_dies_before_its_first_job_ends_the_held_suite(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_bytes(bytes(8))
    broken = system(tmp_path, WATCH, "ready()", "time.sleep(0.2)", "sys.exit(3)")
    with pytest.raises(SystemFailed, match="`work` ended with exit code 3"):
        run_held(broken, str(tmp_path), str(counter), rate=1, seconds=1)
    assert not any(map(lives, started(tmp_path, "produce")))


def test_a_producer_that_ends_without_a_job_handled_ends_the_held_suite(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_bytes(bytes(8))
    broken = system(tmp_path, f"if command == 'produce': {ANSWER}; sys.exit()", "ready()", WAIT)
    with pytest.raises(SystemFailed, match="no job was handled"):
        run_held(broken, str(tmp_path), str(counter), rate=1, seconds=1)


def test_only_a_worker_that_was_killed_on_purpose_may_be_missing_at_the_end(tmp_path: Path) -> None:
    # Not print: the signal may come while the script still prints that it is ready.
    stop = "import signal; signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'{}'), os._exit(0)))"
    with Workers(system(tmp_path, stop, "ready()", WAIT), str(tmp_path), 3) as crew:
        crew.kill_one(crew.processes[1].pid)
        crew.processes[2].kill()
        crew.processes[2].wait()
        with pytest.raises(SystemFailed, match="broken: `work` ended with exit code -9"):
            crew.stop()
    with Workers(system(tmp_path, stop, "ready()", WAIT), str(tmp_path), 2) as crew:
        crew.kill_one(crew.processes[1].pid)
        assert crew.stop() == [{}]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("sys.exit(5)", "`bulk` ended with exit code 5"),
        ("print('hello')", "`bulk` gave no answer, but 'hello"),
        ("pass", "`bulk` gave no answer, but ''"),
    ],
)
def test_a_command_that_fails_is_named_with_its_system(tmp_path: Path, body: str, what: str) -> None:
    with pytest.raises(SystemFailed, match=f"broken: {what}"):
        finish(system(tmp_path, body).start("bulk", str(tmp_path), 10))


def test_a_system_that_cannot_be_imported_says_why(tmp_path: Path) -> None:
    with pytest.raises(SystemFailed, match=r"broken: .*PackageNotFoundError"):
        system(tmp_path).version()
