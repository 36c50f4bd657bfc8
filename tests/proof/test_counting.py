"""`./dev chaos --jobs`: exactly as many ends as jobs, though workers are killed."""

import json
from dataclasses import fields, replace

import pytest

from chaos.count_ends import Counted
from tests.proof.test_mini_chaos import chaos

JOBS = 3000
GOOD = Counted(
    jobs=10,
    ends=10,
    ended_jobs=10,
    numbers=10,
    not_completed=0,
    live=0,
    losses=3,
    kills=1,
    violations=0,
    seconds=1.0,
)


@pytest.mark.alone
@pytest.mark.slow
def test_every_job_has_exactly_one_end_though_workers_are_killed() -> None:
    done = chaos("--jobs", str(JOBS), "--workers", "2", "--kill-every", "1", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {one.name for one in fields(Counted)} | {"passed"}
    assert (found["passed"], found["violations"], found["live"]) == (True, 0, 0)
    assert (found["ends"], found["ended_jobs"], found["numbers"]) == (JOBS, JOBS, JOBS)
    assert found["kills"] >= 1


@pytest.mark.parametrize(
    "change",
    [
        {"ends": 11},
        {"ends": 9, "ended_jobs": 9, "numbers": 9},
        {"numbers": 9},
        {"not_completed": 1},
        {"live": 1},
        {"violations": 1},
    ],
)
def test_anything_but_one_end_each_does_not_pass(change: dict[str, int]) -> None:
    assert GOOD.is_good
    assert not replace(GOOD, **change).is_good
