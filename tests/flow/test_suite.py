"""The benchmark says what it found, and its exit code is 1 below the bars."""

import re
import sys
from importlib import import_module
from xml.etree import ElementTree

import pytest

from bench.__main__ import main
from bench.flow import guide
from bench.flow.bars import GOODPUT
from bench.flow.chart import chart
from bench.flow.measure import Figures
from bench.flow.others import Aimd, Fixed
from bench.flow.ours import Ours
from bench.flow.proof import Proof
from bench.flow.report import table

suite = import_module("bench.suites.flow")  # the package has a function of that name
SCENARIOS = [*GOODPUT]
MEANS = {
    (name, scenario): Figures(goodput=40.0 + 10 * i, wasted=1.0, recovery=None, dead=0.0)
    for i, name in enumerate(suite.CONTROLLERS)
    for scenario in SCENARIOS
}


def bench_with(monkeypatch: pytest.MonkeyPatch, controllers: dict[str, object]) -> int:
    """The exit code of the whole command, with fewer runs."""
    monkeypatch.setattr(suite, "CONTROLLERS", controllers)
    monkeypatch.setattr(suite, "WORKERS", (3,))
    monkeypatch.setattr(sys, "argv", ["bench", "flow", "--no-sql", "--seeds", "41"])
    return main()


@pytest.mark.slow
def test_a_bad_controller_misses_the_bars_and_the_exit_code_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench_with(monkeypatch, {"aimd": lambda _: Aimd(), "flow": lambda _: Fixed(3.0)}) == 1
    said = capsys.readouterr().out
    assert "MISS steady: goodput, % of the oracle" in said
    assert "MISS scale: points over aimd" in said
    assert "ok   300 s outage, 3 attempts, 1 processes: dead jobs" in said


@pytest.mark.slow
def test_the_rules_reach_the_bars(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "flow", "--no-sql"])
    monkeypatch.setattr(suite, "CONTROLLERS", {"aimd": lambda _: Aimd(), "flow": Ours})
    assert main() == 0, capsys.readouterr().out


def test_a_mismatch_with_the_database_is_a_missed_bar() -> None:
    whats = [bar.what for bar in Proof([], 0, ["steady: limit is 3"]).bars() if not bar.is_met]
    assert whats == ["on PostgreSQL: mismatches with the model"]
    assert "steady: limit is 3" in str(Proof([], 0, ["steady: limit is 3"]))


def test_the_chart_is_svg_with_a_mark_for_every_controller_and_scenario() -> None:
    root = ElementTree.fromstring(chart(MEANS, [*suite.CONTROLLERS], SCENARIOS))
    shapes = [e for e in root.iter() if e.tag.split("}")[1] in ("polygon", "circle")]
    assert len(shapes) == len(suite.CONTROLLERS) * (len(SCENARIOS) + 2), "each row, the mean and the legend"
    texts = {e.text for e in root.iter() if e.tag.endswith("text")}
    assert texts >= {*SCENARIOS, *suite.CONTROLLERS, "mean"}


def test_the_guide_shows_a_table_of_all_controllers_and_scenarios() -> None:
    (shown,) = re.findall(guide.TABLE, guide.GUIDE.read_text(encoding="utf-8"))
    page = guide.GUIDE.read_text(encoding="utf-8")
    rows = page[page.index(shown[0]) : page.index(shown[1])].splitlines()[1:]
    expected = table(MEANS, [*suite.CONTROLLERS], SCENARIOS).splitlines()
    assert rows[:2] == expected[:2]
    assert [row.split("|")[1] for row in rows] == [row.split("|")[1] for row in expected]
    assert f"../screens/{guide.CHART.name}" in page
    assert guide.CHART.exists()
