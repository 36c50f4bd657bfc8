"""The figures as JSON, as a table, and as an exit code."""

import json
import math
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as command
from bench.result import (
    OURS,
    Results,
    as_json,
    as_table,
    commit_of,
    from_json,
    number,
    processor,
)
from bench.suites import SUITES
from tests.bench import planted

ROW = {"suite", "system", "version", "figure", "unit", "median", "runs"}


def test_the_json_has_the_documented_shape() -> None:
    results = planted.peers()
    results.settings["fsync"] = "on"
    results.add(OURS, "1", "drain_1", "jobs/s", 31_000)
    written = json.loads(as_json(results))
    assert written.keys() == {"machine", "settings", "results"}
    machine = {"cores", "memory_gb", "processor", "architecture", "system", "kernel", "python", "load_before"}
    assert written["machine"].keys() == machine
    assert written["machine"]["load_before"] == results.load_before
    assert written["settings"] == {"fsync": "on"}
    assert all(row.keys() == ROW for row in written["results"])
    (ours,) = [row for row in written["results"] if (row["system"], row["figure"]) == (OURS, "drain_1")]
    assert (ours["suite"], ours["median"], ours["runs"]) == ("peers", 30_500, [30_000, 31_000])


def test_what_was_written_can_be_read_again() -> None:
    results = planted.peers()
    results.failures["celery"] = "drain_1: it left"
    results.load_before = 0.25
    results.settings["commit"] = results.commit = "abc1234"
    assert json.loads(as_json(results))["failures"] == {"celery": "drain_1: it left"}
    assert from_json(as_json(results)) == results


def test_a_ratio_is_ours_divided_by_theirs() -> None:
    results = planted.peers()
    assert results.ratio(results.figures["pgqueuer", "drain_1"]) == 3.0
    assert results.ratio(results.figures[OURS, "drain_1"]) == 1.0
    results.add("pgqueuer", "1", "nothing", "unit", 0)
    results.add("pgqueuer", "1", "theirs_alone", "unit", 5)
    results.add(OURS, "1", "nothing", "unit", 1)
    assert results.ratio(results.figures["pgqueuer", "nothing"]) is None
    assert results.ratio(results.figures["pgqueuer", "theirs_alone"]) is None


def test_a_ratio_is_the_median_of_those_of_neighbours_in_time() -> None:
    results = Results("peers")
    for ours, theirs in ((10, 1), (20, 10), (60, 20)):  # 10, 2, 3: the medians alone would say 2
        results.add(OURS, "1", "drain_1", "jobs/s", ours)
        results.add("pgqueuer", "1", "drain_1", "jobs/s", theirs)
    assert results.paired(OURS, "pgqueuer", "drain_1") == 3.0
    assert results.paired("pgqueuer", OURS, "drain_1") == pytest.approx(1 / 3)
    assert results.ratio(results.figures["pgqueuer", "drain_1"]) == 3.0


def test_a_ratio_is_that_of_the_medians_where_one_has_more_runs() -> None:
    results = Results("peers")
    for ours in (10, 20, 60):
        results.add(OURS, "1", "drain_1", "jobs/s", ours)
    for theirs in (1, 3):
        results.add("pgqueuer", "1", "drain_1", "jobs/s", theirs)
    assert results.paired(OURS, "pgqueuer", "drain_1") == 10.0


@pytest.mark.parametrize("ours", [[5.0], [5.0, 6.0]])
def test_a_ratio_to_nothing_is_infinite_and_not_shown(ours: list[float]) -> None:
    results = Results("peers")
    for value in ours:
        results.add(OURS, "1", "nothing", "unit", value)
    results.add("pgqueuer", "1", "nothing", "unit", 0)
    assert results.paired(OURS, "pgqueuer", "nothing") == math.inf
    assert results.ratio(results.figures["pgqueuer", "nothing"]) is None


def test_the_number_of_runs_leaves_out_what_was_computed_from_them() -> None:
    results = Results("limit")
    assert results.runs == "0"
    for _ in range(3):
        results.add(OURS, "1", "drain_1", "jobs/s", 1)
    results.add(OURS, "1", "drain_1_share", "share", 1)
    assert results.runs == "3"
    for _ in range(5):
        results.add(OURS, "1", "single_enqueue_1", "jobs/s", 1)
    assert results.runs == "3 to 5"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12_345.6, "12,346"),
        (10, "10"),
        (9.876, "9.88"),
        (1, "1.00"),
        (0.999, "1.00"),
        (0.31, "0.31"),
        (0.094, "0.094"),
        (0.0037, "0.0037"),
        (0.003, "0.0030"),
        (-0.0037, "-0.0037"),
        (0, "0.00"),
    ],
)
def test_little_is_not_shown_as_nothing(value: float, shown: str) -> None:
    assert number(value) == shown


def test_the_processor_is_its_model_where_linux_lists_it(tmp_path: Path) -> None:
    listed = tmp_path / "cpuinfo"
    assert processor(listed) == (platform.processor() or platform.machine())
    listed.write_text("processor\t: 0\nmodel name\t: Abacus 3000: the fast one\n", encoding="utf-8")
    assert processor(listed) == "Abacus 3000: the fast one"


def test_a_commit_with_changes_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):  # a hook's: they name another checkout
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit_of(tmp_path) is None

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    short = git("rev-parse", "--short", "HEAD")
    assert commit_of(tmp_path) == short
    for written in ("docs/benchmarks.md", "bench/results/peers.json"):
        (tmp_path / written).parent.mkdir(parents=True)
        (tmp_path / written).touch()
    assert commit_of(tmp_path) == short
    (tmp_path / "bench" / "page.py").touch()
    assert commit_of(tmp_path) == f"{short} with changes"


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(tmp_path) is None


def test_the_table_names_those_that_failed_below() -> None:
    results = planted.peers()
    results.failures["celery"] = "it left"
    assert as_table(results).splitlines()[-1] == "celery failed: it left"


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
