"""docs/benchmarks.md is what the saved figures say."""

import re
from pathlib import Path

import pytest

from bench import page as generator
from bench.bars import bars_of
from bench.page import ABOUT, HEAD, NOTHING, PAGE, page, save, saved, write_page
from bench.result import OURS, Results, as_json, from_json
from bench.summary import SUMMARIES
from tests.bench import planted


def test_the_page_is_the_one_that_the_saved_figures_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(saved()), "write it again: ./dev bench --write-docs"


def test_a_suite_without_figures_says_so() -> None:
    assert page({}) == HEAD + "".join(
        f"\n## {suite}\n\n{about}\n\n{NOTHING}\n" for suite, about in ABOUT.items()
    )
    some = page({"held": as_json(planted.held())})
    assert some.count("\n## ") == len(ABOUT)
    assert some.count(NOTHING) == len(ABOUT) - 1
    assert NOTHING not in _section(some, "held")


def test_the_head_links_to_pages_that_exist() -> None:
    targets = re.findall(r"\]\((decisions/[^)]+)\)", HEAD)
    assert [target[10:14] for target in targets] == ["0013", "0019"]
    assert all((PAGE.parent / target).exists() for target in targets)


def test_a_figure_stands_beside_the_best_peer_of_each_kind() -> None:
    results = planted.peers()
    results.add("saq", "1", "drain_1", "jobs/s", 9_000)
    results.add("saq", "1", "pickup_p50", "ms", 3.0)
    text = page({"peers": as_json(results)})
    assert (
        "| figure | holdfast | best on PostgreSQL | ratio | best on Redis or SQLite | ratio | bar |" in text
    )
    assert "| drain_1, jobs/s ↑ | 30,000 | pgqueuer 10,000 | 3.00 | taskiq 1,000,000 | 0.030 |" in text
    assert "| pickup_p50, ms ↓ | 2.00 | saq 3.00 | 0.67 | taskiq 1.80 | 1.11 |" in text
    assert "| bulk_enqueue, jobs/s ↑ | 100,000 | pgqueuer 20,000 | 5.00 |  |  | ratio ≥ 2.2: met |" in text


def test_a_suite_names_its_settings_its_versions_and_its_json() -> None:
    results = planted.peers()
    results.settings["fsync"] = "on"
    section = _section(page({"peers": as_json(results)}), "peers")
    assert "; fsync on; holdfast 1, pgqueuer 1, taskiq 1.\n" in section
    (target,) = re.findall(r"\]\((\S+\.json)\)", section)
    assert (PAGE.parent / target).resolve() == generator.SAVED / "peers.json"


def test_a_figure_says_whether_more_or_less_is_better() -> None:
    text = page({"peers": as_json(planted.peers()), "limit": as_json(planted.limit())})
    assert "| single_enqueue_8, jobs/s ↑ |" in text
    assert "| pickup_p50, ms ↓ |" in text
    assert "| idle_statements_per_s, statements/s ↓ |" in text  # per second, and yet a price


def test_our_own_column_shows_the_spread_and_the_others_the_ratio() -> None:
    results = planted.peers()
    for ours, theirs in ((33_000, 11_000), (28_000, 14_000)):
        results.add(OURS, "1", "drain_1", "jobs/s", ours)
        results.add("pgqueuer", "1", "drain_1", "jobs/s", theirs)
    results.add(OURS, "1", "buffers_per_job", "buffers", 20.2)
    text = page({"peers": as_json(results)})
    assert "| drain_1, jobs/s ↑ | 30,000 (28,000 to 33,000) | pgqueuer 11,000 | 3.00 |" in text
    assert "| buffers_per_job, buffers ↓ | 20 | pgqueuer 30 | 0.67 |" in text  # 20 to 20 would say nothing


def test_a_system_that_failed_is_named_under_the_table() -> None:
    results = planted.peers()
    results.failures["celery"] = "drain_1: it left\n  before it was told to"
    section = _section(page({"peers": as_json(results)}), "peers")
    assert "|\n\ncelery failed: drain_1: it left before it was told to\n\nMeasured with " in section


def test_a_suite_without_peers_and_bars_has_only_our_own_column() -> None:
    results = Results("calls")
    results.add(OURS, "1", "rate", "calls/s", 246)
    section = _section(page({"calls": as_json(results)}), "calls")
    assert "| figure | holdfast |\n|---|---:|\n| rate, calls/s ↑ | 246 |\n" in section


def test_features_are_compared_with_plain_and_bulks_with_the_best_peer() -> None:
    results = planted.mixed()
    section = _section(page({"mixed": as_json(results)}), "mixed")
    assert "| figure | holdfast | plain | ratio | best peer | ratio | bar |" in section
    assert "| enqueue_plain, jobs/s ↑ | 90,000 |  |  |  |  |  |" in section
    assert "| drain_all, jobs/s ↑ | 45,000 | 45,000 | 1.00 |  |  | ratio ≥ 0.55: met |" in section
    assert (
        "| bulk_priorities, jobs/s ↑ | 60,000 |  |  | pgqueuer 40,000 | 1.50 | ratio ≥ 1.3: met |" in section
    )
    assert "| wal_plain, bytes/job ↓ | 800 |" in section
    assert "wal_all" not in section
    before = "|  |  |  |  | holdfast@abc1234 90,000 | 1.00 | ratio ≥ 0.97: met |"
    assert f"| enqueue_plain, jobs/s ↑ | 90,000 {before}" in page(
        {"mixed": as_json(planted.against(results))}
    )


def test_a_bar_without_a_figure_is_named_under_the_table() -> None:
    results = planted.mixed()
    del results.figures[OURS, "enqueue_rules"]
    section = _section(page({"mixed": as_json(results)}), "mixed")
    assert "\nenqueue_rules, to enqueue_plain: not measured, wanted ≥ 0.5\n\nMeasured" in section


def test_every_suite_of_the_page_has_a_summary_of_its_saved_figures() -> None:
    assert SUMMARIES.keys() == ABOUT.keys()
    for suite, text in saved().items():
        results = from_json(text)
        shown = {figure.name for figure in SUMMARIES[suite].figures(results)}
        assert shown, suite
        assert {bar.figure for bar in bars_of(results) if bar.value is not None} <= shown, suite


def test_the_page_says_which_bars_are_missed_and_of_what() -> None:
    text = page({"held": as_json(planted.spoil(planted.held(), "full_last", 1))})
    assert "| figure ≤ 50: met |" in text
    assert "| 0.00033 to full_first, wanted ≥ 0.75: **missed** |" in text
    slow = page({"peers": as_json(planted.spoil(planted.peers(), "pickup_p50", 2.9))})
    to_taskiq = "1.61 to that of taskiq on Redis, wanted ≤ 1.3: **missed**"
    assert f"| ratio ≤ 0.7: **missed**; {to_taskiq} |" in slow


def test_a_measured_suite_is_saved_and_found_by_the_next_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "SAVED", tmp_path / "results")
    monkeypatch.setattr(generator, "PAGE", tmp_path / "benchmarks.md")
    assert saved() == {}
    save(planted.limit())
    save(planted.peers())
    assert list(saved()) == ["peers", "limit"]
    write_page()
    written = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert written.index("## peers") < written.index("## limit")
    assert "; runs 1, " in written
    assert ", date 2" in written


def test_what_is_saved_names_runs_and_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "SAVED", tmp_path)
    results = planted.peers()
    results.add(OURS, "1", "drain_1", "jobs/s", 31_000)
    results.commit = "abc1234 with changes"
    save(results)
    settings = from_json(saved()["peers"]).settings
    assert (settings["runs"], settings["commit"]) == ("1 to 2", "abc1234 with changes")
    without = planted.held()
    without.commit = None
    save(without)
    assert from_json(saved()["held"]).settings.keys() == {"runs", "date"}


def test_a_run_without_figures_leaves_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "SAVED", tmp_path)
    save(planted.held())
    before = saved()
    save(Results("held", failures={OURS: "no server"}))
    assert saved() == before


def _section(text: str, suite: str) -> str:
    return text.split(f"\n## {suite}\n")[1].split("\n## ", maxsplit=1)[0]
