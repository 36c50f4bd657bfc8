"""What a time box and a team of processes decide, without a database."""

import subprocess
import sys
from datetime import timedelta
from math import inf

import pytest

from holdfast.cli.workers import time_box_exit
from holdfast.cli.workers.worker_processes import Wanted
from holdfast.model.error import InvalidOption
from holdfast.worker.time_box.durations import Durations


def test_until_something_has_ended_the_seed_is_what_is_expected() -> None:
    assert Durations().expected == 0
    assert Durations(timedelta(seconds=3)).expected == 3


def test_what_nine_of_ten_jobs_take_is_expected_by_the_tasks_that_came_lately() -> None:
    durations = Durations(timedelta(seconds=3))
    for _ in range(40):
        durations.note("quick", 0.1)
    assert durations.expected == 0.1
    durations.note("slow", 20)
    assert durations.expected == 0.1, "one in forty"
    for _ in range(10):
        durations.note("slow", 20)
    assert durations.expected == 20
    for _ in range(50):
        durations.note("quick", 0.2)
    assert durations.expected == 0.2, "what came long ago is forgotten"


def test_a_task_that_can_yield_needs_no_time_before_the_margin() -> None:
    durations = Durations(timedelta(seconds=60))
    durations.begin("walk", can_yield=True)
    assert durations.to_fit == 0, "whatever such jobs usually take"
    durations.note("walk", 60)
    assert (durations.to_fit, durations.expected) == (0, 60), "what it took is still known"


def test_beside_tasks_that_can_yield_the_others_must_still_fit() -> None:
    durations = Durations(timedelta(seconds=60))
    for _ in range(30):
        durations.begin("walk", can_yield=True)
    for _ in range(10):
        durations.begin("march", can_yield=False)
    assert durations.to_fit == 60, "one in four cannot yield, and none of them has ended here"
    durations.note("march", 5)
    assert durations.to_fit == 5
    for _ in range(50):
        durations.begin("walk", can_yield=True)
    assert durations.to_fit == 0, "what came long ago is forgotten"


@pytest.mark.parametrize(
    ("text", "most", "need", "count"),
    [("3", None, 99, 3), ("auto", 4, 0, 1), ("auto", 4, 3, 3), ("auto", 4, 99, 4), ("auto", 4, -inf, 1)],
)
def test_a_team_is_as_large_as_it_is_told_or_as_is_needed(
    text: str, most: int | None, need: float, count: int
) -> None:
    assert Wanted.parse(text, most).bounded(need) == count


@pytest.mark.parametrize("text", ["", "0", "-1", "many", "2000", "1.5"])
def test_a_number_of_processes_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InvalidOption):
        Wanted.parse(text, None)


@pytest.mark.parametrize(
    ("arguments", "variable", "seconds"),
    [
        (["worker", "--time-box", "25s"], None, 25),
        (["worker", "--time-box=250ms"], None, 0.25),
        (["worker"], "2m", 120),
        (["worker", "--time-box", "3s"], "2m", 3),
        (["worker"], None, None),
        (["jobs", "list"], "2m", None),
        (["worker", "--time-box", "soon"], None, None),
    ],
)
def test_the_end_of_the_process_is_armed_by_the_arguments_or_the_environment(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], variable: str | None, seconds: float | None
) -> None:
    armed: list[float] = []
    monkeypatch.setattr(time_box_exit, "EndOfProcess", armed.append)
    monkeypatch.setattr(time_box_exit, "process_age", lambda: 0.0)
    if variable is not None:
        monkeypatch.setenv(time_box_exit.VARIABLE, variable)
    time_box_exit.arm(arguments)
    assert armed == ([] if seconds is None else [seconds])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_a_process_knows_its_age() -> None:
    young = "from holdfast.cli.workers.time_box_exit import process_age; print(process_age())"
    told = subprocess.run([sys.executable, "-c", young], capture_output=True, text=True, check=True)
    assert 0 < float(told.stdout) < time_box_exit.process_age()
