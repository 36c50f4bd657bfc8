"""docs/benchmarks.md is what the saved figures say."""

import re
from pathlib import Path

import pytest

from bench import page as generator
from bench.page import ABOUT, HEAD, NOTHING, PAGE, page, save, saved, write_page
from bench.result import OURS, Results, as_json, from_json
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


def test_a_suite_with_peers_has_a_column_for_each_system() -> None:
    results = planted.peers()
    results.settings["fsync"] = "on"
    text = page({"peers": as_json(results)})
    assert "## peers" in text
    assert "fsync on" in text
    assert "| figure | holdfast 1 | pgqueuer 1 | taskiq 1 |" in text
    assert "| drain_1, jobs/s ↑ | 30,000 | 10,000 (3.00) | 1,000,000 (0.030) |" in text
    assert "| bulk_enqueue, jobs/s ↑ | 100,000 | 20,000 (5.00) |  |" in text


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
    assert "| drain_1, jobs/s ↑ | 30,000 (28,000 to 33,000) | 11,000 (3.00) | 1,000,000 (0.030) |" in text
    assert "| buffers_per_job, buffers ↓ | 20 | 30 (0.67) |" in text  # 20 to 20 would say nothing


def test_a_system_that_failed_is_named_under_the_table() -> None:
    results = planted.peers()
    results.failures["celery"] = "drain_1: it left\n  before it was told to"
    section = _section(page({"peers": as_json(results)}), "peers")
    assert "|\n\ncelery failed: drain_1: it left before it was told to\n\n| bar | |\n|---|---|\n" in section


def test_a_suite_of_our_own_has_a_row_for_each_figure() -> None:
    text = page({"held": as_json(planted.held())})
    assert "| steady_first | unit | 3,000 | 3,000 |" in text


def test_the_page_says_which_bars_are_missed() -> None:
    text = page({"held": as_json(planted.spoil(planted.held(), "full_last", 1))})
    assert "wanted ≤ 50 | met |" in text
    assert "wanted ≥ 0.75 | **missed** |" in text


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
