"""docs/benchmarks.md is what the saved figures say."""

from pathlib import Path

import pytest

from bench import page as generator
from bench.page import HEAD, NOTHING, PAGE, page, save, saved, write_page
from bench.result import as_json
from tests.bench import planted


def test_the_page_is_the_one_that_the_saved_figures_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(saved()), "write it again: ./dev bench --write-docs"


def test_without_figures_the_page_says_so() -> None:
    assert page({}) == HEAD + NOTHING


def test_a_suite_with_peers_has_a_column_for_each_system() -> None:
    results = planted.peers()
    results.settings["fsync"] = "on"
    text = page({"peers": as_json(results)})
    assert "## peers" in text
    assert "fsync on" in text
    assert "| figure | holdfast 1 | pgqueuer 1 | taskiq 1 |" in text
    assert "| drain_1, unit | 30,000 | 10,000 (3.00) | 1,000,000 (0.03) |" in text
    assert "| bulk_enqueue, unit | 100,000 | 20,000 (5.00) |  |" in text


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
    assert "; date 2" in written
