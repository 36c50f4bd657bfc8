"""What a suite measured before it failed is shown, written, and kept out of the page."""

import json
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from bench import __main__ as command
from bench.result import OURS, Results
from bench.suites import SUITES
from bench.system import SystemFailed
from bench.unavailable import Unavailable


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (SystemFailed("saq", "`work` ended"), "bench: failed: saq: `work` ended\n", 1),
        (ValueError("odd"), "bench: failed: odd\n", 1),
        (KeyError(), "bench: failed: KeyError\n", 1),
        (KeyboardInterrupt(), "bench: failed: it was interrupted\n", 1),
        (Unavailable("cannot install saq"), "bench: failed: cannot install saq\n", 2),
    ],
)
def test_a_suite_that_fails_keeps_its_figures(
    error: BaseException,
    said: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def suite(results: Results, _: Namespace) -> None:
        results.add(OURS, "1", "drain_1", "jobs/s", 4_321)
        raise error

    def never(*_: object) -> None:
        pytest.fail("part of a measurement is no page")

    figures = tmp_path / "figures.json"
    monkeypatch.setitem(SUITES, "peers", suite)
    monkeypatch.setattr(command, "save", never)
    monkeypatch.setattr(command, "write_page", never)
    monkeypatch.setattr(sys, "argv", ["bench", "peers", "--write-docs", "--json", str(figures)])
    assert command.main() == code
    shown = capsys.readouterr()
    assert "4,321" in shown.out
    assert shown.err.endswith(said)
    assert ("Traceback" in shown.err) == isinstance(error, ValueError | KeyError)
    (row,) = json.loads(figures.read_text())["results"]
    assert (row["figure"], row["runs"]) == ("drain_1", [4_321])


def test_a_system_that_failed_while_the_suite_went_on_is_named_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def suite(results: Results, _: Namespace) -> None:
        results.add(OURS, "1", "rate_1", "jobs/s", 4_321)
        results.failures["saq"] = "drain_1: `work` ended"

    monkeypatch.setitem(SUITES, "load", suite)
    monkeypatch.setattr(sys, "argv", ["bench", "load"])
    assert command.main() == 1
    shown = capsys.readouterr()
    assert "4,321" in shown.out
    assert shown.err == "bench: saq failed: drain_1: `work` ended\n"
