"""A small round of `api` over HTTP, and long polls that are held open."""

import sys
from pathlib import Path

import pytest

from bench import server
from bench.bars.api import LEAST, MOST
from bench.result import OURS, Results
from bench.stores import stores
from bench.suites.api import _polls, _round
from bench.system import HERE, System

pytestmark = [pytest.mark.slow, pytest.mark.alone]


def test_a_round_has_a_figure_for_each_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MEMORY", ())
    script = HERE / "peers" / "api_script.py"
    ours, results = System(OURS, script, Path(sys.executable), package="holdfast-queue"), Results("api")
    with stores() as places:
        _round(results, places, ours, jobs=25, seconds=1)
        _polls(results, places, ours, count=20, seconds=1)
    assert {name for _, name in results.figures} == LEAST.keys() | MOST.keys()
    assert all(figure.median > 0 for figure in results.figures.values())
