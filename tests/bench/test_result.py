"""The figures as JSON, as a table, and as an exit code."""

import json
import sys
from pathlib import Path

import pytest

from bench import __main__ as command
from bench.result import OURS, Results, as_json, as_table, from_json
from bench.suites import SUITES
from tests.bench import planted

ROW = {"suite", "system", "version", "figure", "unit", "median", "runs"}


def test_the_json_has_the_documented_shape() -> None:
    results = planted.peers()
    results.settings["fsync"] = "on"
    results.add(OURS, "1", "drain_1", "jobs/s", 31_000)
    written = json.loads(as_json(results))
    assert written.keys() == {"machine", "settings", "results"}
    assert {"cores", "memory_gb", "python"} <= written["machine"].keys()
    assert written["settings"] == {"fsync": "on"}
    assert all(row.keys() == ROW for row in written["results"])
    (ours,) = [row for row in written["results"] if (row["system"], row["figure"]) == (OURS, "drain_1")]
    assert (ours["suite"], ours["median"], ours["runs"]) == ("peers", 30_500, [30_000, 31_000])


def test_what_was_written_can_be_read_again() -> None:
    results = planted.peers()
    again = from_json(as_json(results))
    assert (again.suite, again.figures) == (results.suite, results.figures)


def test_a_ratio_is_ours_divided_by_theirs() -> None:
    results = planted.peers()
    assert results.ratio(results.figures["pgqueuer", "drain_1"]) == 3.0
    assert results.ratio(results.figures[OURS, "drain_1"]) == 1.0
    results.add("pgqueuer", "1", "nothing", "unit", 0)
    results.add("pgqueuer", "1", "theirs_alone", "unit", 5)
    results.add(OURS, "1", "nothing", "unit", 1)
    assert results.ratio(results.figures["pgqueuer", "nothing"]) is None
    assert results.ratio(results.figures["pgqueuer", "theirs_alone"]) is None


def test_the_table_shows_ours_before_the_others() -> None:
    lines = [line for line in as_table(planted.peers()).splitlines() if line.startswith("drain_1 ")]
    assert [line.split()[1] for line in lines] == [OURS, "pgqueuer", "taskiq"]
    assert "3.00" in lines[1]


@pytest.mark.parametrize(("figure", "value", "code"), [("drain_1", 30_000, 0), ("drain_1", 1_000, 1)])
def test_a_missed_bar_is_listed_and_ends_with_exit_code_1(
    figure: str,
    value: float,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def suite(results: Results, _: object) -> None:
        results.figures = planted.spoil(planted.peers(), figure, value).figures

    monkeypatch.setitem(SUITES, "peers", suite)
    monkeypatch.setattr(sys, "argv", ["bench", "peers", "--json", str(tmp_path / "figures.json")])
    assert command.main() == code
    assert json.loads((tmp_path / "figures.json").read_text())["results"]
    shown = capsys.readouterr()
    assert ("MISS drain_1" in shown.out, "missed: drain_1" in shown.err) == (code == 1, code == 1)


def test_a_suite_must_be_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["bench"])
    with pytest.raises(SystemExit):
        command.main()
    assert "name a suite" in capsys.readouterr().err
